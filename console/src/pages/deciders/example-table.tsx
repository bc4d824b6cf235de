import { Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { formatCount } from '../../parts/formats.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useSession } from '../../session.tsx';
import { aboutQuestion } from './question.ts';
import { pathOf, type ExamplePage } from './wire.ts';

const pageRows = 25;

/** The examples of a decider, oldest first, a page at a time. */
export function ExampleTable({ name }: { readonly name: string }): ReactNode {
  const { api } = useSession();
  const path = `${pathOf(name)}/examples`;
  // Tokens of the pages up to this one; the first has none.
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const { body, failure, reload } = useCall<ExamplePage>(api, {
    path,
    query: { limit: pageRows, page_token: tokens.at(-1) },
  });
  const [refused, setRefused] = useState<unknown>(null);
  const remove = async (what: string, begin: () => void): Promise<void> => {
    setRefused(null);
    try {
      await api.call({ method: 'DELETE', path: what });
      begin();
      reload();
    } catch (error) {
      setRefused(error);
    }
  };
  if (body === null)
    return failure === null ? (
      <Skeleton h={200} aria-label="Loading the examples" />
    ) : (
      <Failure of={failure} />
    );
  const { examples, total, next_page_token: next } = body;
  const first = tokens.length * pageRows;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Examples
      </Title>
      <Failure of={failure ?? refused} />
      <Text size="sm" c="dimmed" role="status">
        {total === 0
          ? 'None yet. Paste or choose some above: ten of each answer are a good beginning.'
          : `${formatCount(first + 1)} to ${formatCount(first + examples.length)} of ${formatCount(total)}`}
      </Text>
      {examples.length > 0 && (
        <ExampleRows
          examples={examples}
          onRemove={(id) => remove(`${path}/${encodeURIComponent(id)}`, () => {})}
        />
      )}
      <Group>
        <Pager tokens={tokens} onTokens={setTokens} next={next} labels={['Earlier', 'Later']} />
        {total > 0 && (
          <ConfirmButton
            verb="Delete"
            label="all examples"
            onConfirm={() =>
              remove(path, () => {
                setTokens([]);
              })
            }
          />
        )}
      </Group>
    </Stack>
  );
}

interface RowsProps {
  readonly examples: ExamplePage['examples'];
  readonly onRemove: (id: string) => Promise<void>;
}

function ExampleRows({ examples, onRemove }: RowsProps): ReactNode {
  return (
    <ScrollingTable caption="Examples" headings={['State', 'Right answer', 'Question', 'What to do']}>
      {examples.map(({ id, state, question, answer }) => (
        <Table.Tr key={id}>
          <Table.Td miw="16rem">
            <Text size="sm" className="nestor-text" lineClamp={3}>
              {textOf(state)}
            </Text>
          </Table.Td>
          <Table.Td className="nestor-text">{String(answer)}</Table.Td>
          <Table.Td miw="12rem">
            <Text size="sm" className="nestor-text" lineClamp={2}>
              {aboutQuestion(question)}
            </Text>
          </Table.Td>
          <Table.Td>
            <ConfirmButton
              verb="Delete"
              label={`the example “${textOf(state).slice(0, 40)}”`}
              onConfirm={() => onRemove(id)}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}

export function textOf(state: unknown): string {
  return typeof state === 'string' ? state : JSON.stringify(state);
}
