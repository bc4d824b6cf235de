import { Anchor, Group, Skeleton, Tabs, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useCall } from '../../api/use-call.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session.tsx';
import { aboutAnswering, aboutLabelMass, aboutPolicy } from './about.ts';
import { fromDecider } from './draft.ts';
import { Examples } from './examples.tsx';
import { DeciderForm } from './form.tsx';
import { GuaranteeTable } from './guarantee-table.tsx';
import { Learning } from './learning.tsx';
import { Marks } from './list-page.tsx';
import { TryIt } from './try-it.tsx';
import { pathOf, type Decider } from './wire.ts';

/** One decider: tried, taught, changed. The address names it and what is open of it. */
export function DeciderPage({ name }: { readonly name: string }): ReactNode {
  const { api } = useSession();
  const { body: decider, failure, reload } = useCall<Decider>(api, { path: pathOf(name) });
  return (
    <Page title={name} about="A decider. Requests name it as model, on every path that decides.">
      <Anchor component={Link} href="/deciders" underline="always">
        All deciders
      </Anchor>
      <Failure of={failure} />
      {decider === null && failure === null && <Skeleton h={240} aria-label="Loading the decider" />}
      {decider !== null && (
        <>
          <Group gap="xs">
            <Text className="nestor-text">
              {[aboutAnswering(decider.definition), aboutPolicy(decider.definition)]
                .filter((part) => part !== '')
                .join(' · ')}
            </Text>
            <Marks decider={decider} />
          </Group>
          {decider.label_mass !== undefined && (
            <Text size="sm" c="dimmed" className="nestor-text">
              {aboutLabelMass(decider.label_mass)}
            </Text>
          )}
          <GuaranteeTable name={decider.name} guarantees={decider.definition.guarantees} />
          <Parts decider={decider} onChange={reload} />
        </>
      )}
    </Page>
  );
}

interface PartsProps {
  readonly decider: Decider;
  readonly onChange: () => void;
}

function Parts({ decider, onChange }: PartsProps): ReactNode {
  const [params, setParams] = useSearchParams();
  const isOwn = decider.owner === 'account';
  const learns = isOwn && decider.definition.engine === 'encoder';
  const parts = [
    { value: 'try', label: 'Try it', panel: <TryIt name={decider.name} /> },
    ...(learns
      ? [
          { value: 'examples', label: 'Examples', panel: <Examples name={decider.name} /> },
          { value: 'learning', label: 'Learning', panel: <Learning decider={decider} onChange={onChange} /> },
        ]
      : []),
    ...(isOwn
      ? [{ value: 'change', label: 'Change', panel: <Change decider={decider} onChange={onChange} /> }]
      : []),
  ];
  const asked = params.get('open');
  const open = parts.some(({ value }) => value === asked) ? asked : 'try';
  return (
    <Tabs
      value={open}
      keepMounted={false}
      onChange={(part) => {
        setParams(part === null || part === 'try' ? {} : { open: part }, { replace: true });
      }}
    >
      <Tabs.List>
        {parts.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {parts.map(({ value, panel }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Change({ decider, onChange }: PartsProps): ReactNode {
  const { api } = useSession();
  const [, go] = useLocation();
  const [failure, setFailure] = useState<unknown>(null);
  const remove = async (): Promise<void> => {
    setFailure(null);
    try {
      await api.call({ method: 'DELETE', path: pathOf(decider.name) });
      go('/deciders');
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      <DeciderForm first={fromDecider(decider)} isNew={false} onSaved={onChange} />
      <Group mt="lg">
        <ConfirmButton verb="Delete" label={decider.name} onConfirm={remove} />
        <Text size="sm" c="dimmed">
          Its examples and what it learned are deleted with it.
        </Text>
      </Group>
      <Failure of={failure} />
    </>
  );
}
