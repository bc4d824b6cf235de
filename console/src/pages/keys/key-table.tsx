import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { formatTime } from '../../parts/formats.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';

export interface Key {
  readonly id: string;
  readonly kind: 'root' | 'token';
  readonly name: string | null;
  readonly last4: string;
  /** Unit of all times: s since the Unix epoch. */
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

interface Props {
  readonly keys: readonly Key[];
  /** The key that is signed in. */
  readonly ownId: string | null;
  readonly onRevoke: (id: string) => Promise<void>;
}

export function KeyTable({ keys, ownId, onRevoke }: Props): ReactNode {
  if (keys.length === 0) return <Text c="dimmed">No keys to show.</Text>;
  return (
    <ScrollingTable
      caption="Keys and tokens"
      headings={['Name', 'Ends in', 'Kind', 'Made', 'Last used', 'State']}
    >
      {keys.toReversed().map((key) => (
        <Table.Tr key={key.id}>
          <Table.Td>
            {key.name ?? '–'}
            {key.id === ownId && ' (signed in)'}
          </Table.Td>
          <Table.Td>…{key.last4}</Table.Td>
          <Table.Td>{key.kind}</Table.Td>
          <Table.Td>{formatTime(key.created_at)}</Table.Td>
          <Table.Td>{key.last_used_at === null ? 'never' : formatTime(key.last_used_at)}</Table.Td>
          <Table.Td>
            <KeyState of={key} onRevoke={onRevoke} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}

function KeyState({
  of: key,
  onRevoke,
}: {
  readonly of: Key;
  readonly onRevoke: Props['onRevoke'];
}): ReactNode {
  if (key.revoked_at !== null) return <Text size="sm">revoked {formatTime(key.revoked_at)}</Text>;
  if (key.kind === 'root') return <Badge variant="outline">works</Badge>;
  const label = `${key.name ?? 'the token'} ending in ${key.last4}`;
  return <ConfirmButton verb="Revoke" label={label} onConfirm={() => onRevoke(key.id)} />;
}
