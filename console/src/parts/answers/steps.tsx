import { Code, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChatSource, ReasoningStep } from './chat-wire.ts';
import { Details } from './details.tsx';
import { WebLink } from '../web-link.tsx';

/** The steps towards an answer, and the reasoning of the model. Renders nothing without either. */
export function Steps({
  steps,
  thinking,
}: {
  readonly steps: readonly ReasoningStep[];
  readonly thinking: string;
}): ReactNode {
  if (steps.length === 0 && thinking === '') return null;
  return (
    <Details summary={summaryOf(steps.length)}>
      <Stack gap="sm">
        {steps.length > 0 && (
          <List type="ordered" size="sm" spacing="xs">
            {steps.map((step, index) => (
              // Steps are only appended.
              <List.Item key={index}>
                <Step step={step} />
              </List.Item>
            ))}
          </List>
        )}
        {thinking !== '' && (
          <Text size="sm" c="dimmed" className="nestor-text">
            {thinking}
          </Text>
        )}
      </Stack>
    </Details>
  );
}

function summaryOf(count: number): string {
  if (count === 0) return 'Reasoning';
  return count === 1 ? 'Reasoning (1 step)' : `Reasoning (${count} steps)`;
}

function Step({ step }: { readonly step: ReasoningStep }): ReactNode {
  const { thought, web_search: search, fetch_url_content: fetched, execute_python: python } = step;
  return (
    <>
      <Text size="sm" className="nestor-text">
        {thought}
      </Text>
      {search !== undefined && (
        <Pages lead={`Searched for ${quoted(search.search_keywords)}`} pages={search.search_results} />
      )}
      {fetched !== undefined && <Pages lead="Read" pages={fetched.contents} />}
      {python !== undefined && <Code block tabIndex={0}>{`${python.code}\n\n${python.result}`}</Code>}
    </>
  );
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `“${word}”`).join(', ');
}

function Pages({ lead, pages }: { readonly lead: string; readonly pages: readonly ChatSource[] }): ReactNode {
  return (
    <>
      <Text size="xs" c="dimmed" className="nestor-text">
        {lead}: {pages.length === 0 ? 'nothing found' : ''}
      </Text>
      <List size="xs">
        {pages.map(({ url, title }) => (
          <List.Item key={url}>
            <WebLink href={url}>{title === '' ? url : title}</WebLink>
          </List.Item>
        ))}
      </List>
    </>
  );
}
