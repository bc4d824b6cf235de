import { Anchor, Button, Group, Progress, Stack, Table, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { describeState, formatBytes, knownPath, percentOf, type KnownModel } from './known-model.ts';

interface Props {
  readonly api: Api;
  readonly models: readonly KnownModel[];
  readonly onChange: () => void;
  readonly onFailure: (failure: unknown) => void;
}

/** Models that can be pulled by name, with what a person should know before. */
export function KnownTable({ api, models, onChange, onFailure }: Props): ReactNode {
  const attempt = async (method: 'POST' | 'DELETE', name: string, body?: object): Promise<void> => {
    onFailure(null);
    const path = `${knownPath}/${encodeURIComponent(name)}/pull`;
    await api.call({ method, path, ...(body && { body }) }).catch(onFailure);
    onChange();
  };
  return (
    <ScrollingTable
      caption="Models to pull"
      headings={['Model', 'Size', 'Engine', 'Licence', 'State', 'What to do']}
    >
      {models.map((model) => (
        <Table.Tr key={model.name}>
          <Table.Td>
            <Text fw={600} size="sm">
              {model.name}
            </Text>
            <Text size="sm">{model.about}</Text>
            <Text size="xs" c="dimmed" className="nestor-text">
              {model.source}
            </Text>
          </Table.Td>
          <Table.Td>{formatBytes(model.size_bytes)}</Table.Td>
          <Table.Td>{model.engine}</Table.Td>
          <Table.Td>
            <Anchor href={model.licence.url} target="_blank" rel="noreferrer" size="sm" underline="always">
              {model.licence.id}
            </Anchor>
          </Table.Td>
          <Table.Td>
            <State model={model} />
          </Table.Td>
          <Table.Td>
            <Action
              model={model}
              onPull={() =>
                attempt('POST', model.name, { accept_licence: model.licence.conditions !== null })
              }
              onCancel={() => attempt('DELETE', model.name)}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}

function State({ model }: { readonly model: KnownModel }): ReactNode {
  const percent = percentOf(model);
  return (
    <Stack gap={4}>
      <Text size="sm" aria-live="polite">
        {describeState(model)}
      </Text>
      {percent !== null && <Progress value={percent} aria-label={`How far ${model.name} is pulled`} />}
    </Stack>
  );
}

interface ActionProps {
  readonly model: KnownModel;
  readonly onPull: () => Promise<void>;
  readonly onCancel: () => Promise<void>;
}

/** A licence with conditions is shown and accepted before anything is pulled. */
function Action({ model: { name, state, licence }, onPull, onCancel }: ActionProps): ReactNode {
  const [isAsked, setAsked] = useState(false);
  if (state === 'here') return '–';
  if (state === 'pulling')
    return (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Cancel the pull of ${name}`}
        onClick={() => void onCancel()}
      >
        Cancel
      </Button>
    );
  if (licence.conditions === null || !isAsked)
    return (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Pull ${name}`}
        onClick={() => {
          if (licence.conditions === null) void onPull();
          else setAsked(true);
        }}
      >
        Pull
      </Button>
    );
  return (
    <Stack gap="xs" miw={260}>
      <Text size="sm">{licence.conditions}</Text>
      <Group gap="xs" wrap="nowrap">
        <Button
          size="compact-sm"
          aria-label={`Accept and pull ${name}`}
          onClick={() => {
            setAsked(false);
            void onPull();
          }}
        >
          Accept and pull
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            setAsked(false);
          }}
        >
          Leave it
        </Button>
      </Group>
    </Stack>
  );
}
