import { Anchor, Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { OutlinedBadge } from '../../parts/outlined-badge.tsx';
import { useCall } from '../../api/use-call.ts';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { useSession } from '../../session.tsx';
import { aboutAnswering, aboutPolicy } from './about.ts';
import { DriftMark } from './drift-table.tsx';
import type { Decider, DeciderList } from './wire.ts';

/** What requests of this account may name as `model`. */
export function DeciderListPage(): ReactNode {
  const { api } = useSession();
  const { body, failure } = useCall<DeciderList>(api, { path: '/v1/deciders' });
  const own = (body?.deciders ?? []).filter(({ owner }) => owner === 'account');
  return (
    <Page
      title="Deciders"
      about="A decider is an engine with a name: what it asks, in which steps, and what happens to answers that it is not sure of. Requests name it as model."
    >
      <Failure of={failure} />
      {body === null && failure === null && <Skeleton h={160} aria-label="Loading the deciders" />}
      {body !== null && (
        <Stack gap="lg">
          {own.length === 0 && <FirstStep />}
          <DeciderTable deciders={body.deciders} />
          {own.length > 0 && (
            <Group>
              <Button component={Link} href="/deciders/NEW">
                New decider
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Page>
  );
}

/** For who has none: what one of one's own is for. */
function FirstStep(): ReactNode {
  return (
    <Stack gap="xs" align="flex-start">
      <Text maw="46rem">
        You have none of your own yet. One with the engine <strong>encoder</strong> learns from examples that
        you give it: ten messages for each of your topics are often enough.
      </Text>
      <Button component={Link} href="/deciders/NEW">
        Make your first decider
      </Button>
    </Stack>
  );
}

function DeciderTable({ deciders }: DeciderList): ReactNode {
  return (
    <ScrollingTable caption="Deciders" headings={['Name', 'Answered by', 'When it is not sure', 'Whose']}>
      {deciders.map((decider) => (
        <Table.Tr key={decider.name}>
          <Table.Td>
            <Group gap="xs" wrap="nowrap">
              <Anchor component={Link} href={`/deciders/${decider.name}`} underline="always" inherit>
                {decider.name}
              </Anchor>
              <Marks decider={decider} />
            </Group>
          </Table.Td>
          <Table.Td>{aboutAnswering(decider.definition)}</Table.Td>
          <Table.Td>{aboutPolicy(decider.definition) || 'answers'}</Table.Td>
          <Table.Td>{decider.owner === 'account' ? 'yours' : 'of the operator'}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}

/** What stands out of a decider. */
export function Marks({ decider }: { readonly decider: Decider }): ReactNode {
  return (
    <>
      {decider.fit !== null && (
        <OutlinedBadge color="teal" size="sm">
          learned
        </OutlinedBadge>
      )}
      <DriftMark drift={decider.drift ?? []} labelMass={decider.label_mass} />
    </>
  );
}
