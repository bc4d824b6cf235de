import { Anchor, Button, Card, Code, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useCall } from '../api/use-call.ts';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { toHash } from './decide/link.ts';
import type { DeciderList } from './deciders/wire.ts';

/** What `nestor demo` calls its deciders. */
const demoPrefix = 'demo-';

const message = 'I was charged twice and want my money back before Friday.';
const questions = {
  refund: { type: 'noul', instructions: 'Does the customer ask for their money back?' },
  topic: {
    type: 'choice',
    criteria: {
      billing: 'charges, invoices, payments',
      delivery: 'parcels and shipping',
      login: 'passwords',
    },
  },
} as const;

/** Three steps that show what Nestor does: a decision, an answer with its sources, an evaluation. */
export function FirstStepsPage(): ReactNode {
  const { api } = useSession();
  const { body, failure } = useCall<DeciderList>(api, { path: '/v1/deciders' });
  const sets = (body?.deciders ?? [])
    .filter(({ name, owner }) => owner === 'account' && name.startsWith(demoPrefix))
    .map(({ name }) => name);
  const model = body?.deciders.find(({ owner }) => owner === 'operator')?.name ?? '';
  const isLoading = body === null && failure === null;
  return (
    <Page title="First steps" about="Three steps, a minute each: decide, ask, and see how far to trust it.">
      <Failure of={failure} />
      {isLoading ? (
        <Skeleton h={420} aria-label="Loading the first steps" />
      ) : (
        <Stack gap="md">
          <FirstDecision model={model} />
          <FirstAnswer isDemo={sets.length > 0} />
          <FirstEvaluation sets={sets} />
        </Stack>
      )}
    </Page>
  );
}

interface StepProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ title, children }: StepProps): ReactNode {
  return (
    <Card withBorder maw="46rem">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}

function FirstDecision({ model }: { readonly model: string }): ReactNode {
  const [hash, setHash] = useState('');
  useEffect(() => {
    void toHash({ model, state: message, questions }).then(setHash);
  }, [model]);
  return (
    <Step title="1. A decision">
      <Text>A customer writes: “{message}” Is money asked back, and what is it about?</Text>
      <Text c="dimmed" size="sm">
        Each answer is a probability: a yes or no is called <em>noul</em>, from 0 for no to 1 for yes; a
        choice has a share for every option. Change the words, and see the bars move.
      </Text>
      <Button component={Link} href={`/decide${hash}`}>
        Decide
      </Button>
    </Step>
  );
}

const askPath = (question: string) => `/chat?ask=${encodeURIComponent(question)}`;

function FirstAnswer({ isDemo }: { readonly isDemo: boolean }): ReactNode {
  const question = isDemo ? 'Where are returned parcels put?' : 'How do I revoke a token?';
  return (
    <Step title="2. An answer with its sources">
      <Text>
        Ask {isDemo ? 'the handbook of the shop' : 'the documentation, which is in every index'}: “{question}”
      </Text>
      <Text c="dimmed" size="sm">
        Numbers behind a sentence lead to the passage that it comes from. Without a language model answers are
        sentences of the sources, word for word.
      </Text>
      <Button component={Link} href={askPath(question)}>
        Ask
      </Button>
    </Step>
  );
}

function FirstEvaluation({ sets }: { readonly sets: readonly string[] }): ReactNode {
  const [first] = sets;
  return (
    <Step title="3. How good is it?">
      {first === undefined ? (
        <>
          <Text>
            Take twenty of your own messages of which you know the answer. A decider that has them as examples
            tells how many are answered rightly, before and after it has learned from them.
          </Text>
          <Button component={Link} href="/deciders/NEW">
            Make a decider
          </Button>
          <Text c="dimmed" size="sm">
            <Code>nestor demo</Code> starts a server beside this one that has ten sets of examples to look at.
          </Text>
        </>
      ) : (
        <>
          <Text>
            Ten sets of messages have their right answers beside them. Open one and press{' '}
            <strong>Learn</strong>: it tells how many are answered rightly, on messages that it has not
            learned from, before and after.
          </Text>
          <Button
            component={Link}
            href={`/deciders/${sets.find((name) => name.endsWith('topic')) ?? first}?open=learning`}
          >
            Evaluate
          </Button>
          <List size="sm" spacing="xs">
            {sets.map((name) => (
              <List.Item key={name}>
                <Anchor component={Link} href={`/deciders/${name}?open=examples`} inherit underline="always">
                  {name}
                </Anchor>
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Step>
  );
}
