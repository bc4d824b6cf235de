import { Alert, Button, Center, Group, Loader, SegmentedControl, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { Page } from '../parts/page.tsx';
import { examples } from './decide/examples.ts';
import type { Work } from './decide/kept.ts';
import { OneState } from './decide/one-state.tsx';
import { useWork, type UsedWork } from './decide/use-work.ts';

/** Loaded only when somebody wants a link, or came by one. */
const LinkToThis = lazy(async () => ({
  default: (await import('./decide/link-to-this.tsx')).LinkToThis,
}));

/** Loaded only when a table is opened. */
const TableOfStates = lazy(async () => ({
  default: (await import('./decide/table-of-states.tsx')).TableOfStates,
}));

export function DecidePage(): ReactNode {
  const used = useWork();
  const { work, change, left } = used;
  return (
    <Page title="Decide" about="Ask questions about a text, and get a probability for every possible answer.">
      <Group justify="space-between" align="flex-end">
        <SegmentedControl
          aria-label="What is asked about"
          data={[
            { value: 'one', label: 'One state' },
            { value: 'table', label: 'A table (CSV)' },
          ]}
          value={work.about}
          onChange={(about) => {
            change({ about: about === 'table' ? 'table' : 'one' });
          }}
        />
        <Group gap="xs">
          <Examples {...used} />
          {work.about === 'one' && <Link work={work} change={change} />}
        </Group>
      </Group>
      {left !== 'nothing' && (
        <Alert variant="outline" color="yellow" role="status">
          <Text size="sm">{leftWords[left]}</Text>
        </Alert>
      )}
      {work.about === 'one' ? (
        <OneState work={work} change={change} />
      ) : (
        <Suspense
          fallback={
            <Center py="xl">
              <Loader aria-label="Loading" />
            </Center>
          }
        >
          <TableOfStates work={work} change={change} />
        </Suspense>
      )}
    </Page>
  );
}

const leftWords: Readonly<Record<Exclude<UsedWork['left'], 'nothing'>, string>> = {
  answers:
    'The answers to the table are too large to be kept in this tab. Download them before you leave this page.',
  table: 'The table is too large to be kept in this tab: after a reload it has to be chosen again.',
  all: 'What you wrote is too large to be kept in this tab: a reload loses it.',
};

function Link(used: Pick<UsedWork, 'work' | 'change'>): ReactNode {
  const hash = useHash();
  const [isWanted, setWanted] = useState(false);
  const asked = hash.startsWith('#ask=') ? hash : null;
  const button = (
    <Group>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => {
          setWanted(true);
        }}
      >
        Link to this
      </Button>
    </Group>
  );
  return isWanted || asked !== null ? (
    <Suspense fallback={button}>
      <LinkToThis key={asked} {...used} asked={asked} />
    </Suspense>
  ) : (
    button
  );
}

/** The end of the address, also of one that is put into the window while the page is open. */
function useHash(): string {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const read = () => {
      setHash(location.hash);
    };
    addEventListener('hashchange', read);
    // It may have changed since the first look.
    read();
    return () => {
      removeEventListener('hashchange', read);
    };
  }, []);
  return hash;
}

/** Fills in an example; the input that it replaces can be restored. */
function Examples({ work, change }: UsedWork): ReactNode {
  const [replaced, setReplaced] = useState<Partial<Work> | null>(null);
  return (
    <Stack gap={4}>
      <Group gap="xs" role="group" aria-label="Examples">
        <Text size="sm">Start from:</Text>
        {examples.map(({ label, state, questions }) => (
          <Button
            key={label}
            variant="default"
            size="compact-sm"
            onClick={() => {
              setReplaced({
                state: work.state,
                questions: work.questions,
                questionsJson: work.questionsJson,
              });
              change({ questions, questionsJson: null, ...(work.about === 'one' ? { state } : {}) });
            }}
          >
            {label}
          </Button>
        ))}
        {replaced !== null && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              setReplaced({
                state: work.state,
                questions: work.questions,
                questionsJson: work.questionsJson,
              });
              change(replaced);
            }}
          >
            Take back what was there
          </Button>
        )}
      </Group>
    </Stack>
  );
}
