import { Button, Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { ConfirmButton } from '../confirm-button.tsx';
import { formatCount, formatTime } from '../formats.ts';
import { ScrollingTable } from '../scrolling-table.tsx';
import { describeState, type Source } from './source.ts';

interface Props {
  readonly api: Api;
  /** Of the operations on sources. */
  readonly path: string;
  readonly sources: readonly Source[];
  readonly onChange: () => void;
  readonly onFailure: (failure: unknown) => void;
}

export function SourceTable({ api, path: sourcesPath, sources, onChange, onFailure }: Props): ReactNode {
  if (sources.length === 0)
    return <Text c="dimmed">Nothing is in the index yet. Add a folder or an address above.</Text>;
  const attempt = async (method: 'POST' | 'DELETE', path: string): Promise<void> => {
    onFailure(null);
    await api.call({ method, path: `${sourcesPath}/${path}` }).catch(onFailure);
    onChange();
  };
  return (
    <ScrollingTable
      caption="Sources of the index"
      headings={['Where', 'Documents', 'State', 'Read', 'Every', 'What to do']}
    >
      {sources.map((source) => (
        <Table.Tr key={source.id}>
          <Table.Td className="nestor-text">{source.location}</Table.Td>
          <Table.Td>{formatCount(source.documents)}</Table.Td>
          <Table.Td aria-live="polite">{describeState(source)}</Table.Td>
          <Table.Td>{source.refreshed_at === null ? 'never' : formatTime(source.refreshed_at)}</Table.Td>
          <Table.Td>{source.every ?? '–'}</Table.Td>
          <Table.Td>
            {source.kind === 'docs' ? (
              'comes with Nestor'
            ) : (
              <Actions
                source={source}
                onRefresh={() => attempt('POST', `${encodeURIComponent(source.id)}/refresh`)}
                onRemove={() => attempt('DELETE', encodeURIComponent(source.id))}
              />
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}

interface ActionsProps {
  readonly source: Source;
  readonly onRefresh: () => Promise<void>;
  readonly onRemove: () => Promise<void>;
}

function Actions({ source: { location }, onRefresh, onRemove }: ActionsProps): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Refresh ${location}`}
        onClick={() => void onRefresh()}
      >
        Refresh
      </Button>
      <ConfirmButton verb="Remove" label={location} onConfirm={onRemove} />
    </Group>
  );
}
