import { Skeleton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { useSession } from '../../session.tsx';
import { fromQuestions, plain } from '../decide/draft.ts';
import { parseJson } from '../decide/json-text.ts';
import { firstWork, type Work } from '../decide/kept.ts';
import { OneState } from '../decide/one-state.tsx';
import { pathOf, type Example, type ExamplePage } from './wire.ts';

/** Asks this decider at once: what it was taught, where it was taught something. */
export function TryIt({ name }: { readonly name: string }): ReactNode {
  const { api } = useSession();
  const { body, failure } = useCall<ExamplePage>(api, {
    path: `${pathOf(name)}/examples`,
    query: { limit: 1 },
  });
  // Deciders of the operator have no examples, and the server says so by a failure.
  if (body === null && failure === null) return <Skeleton h={320} aria-label="Loading" />;
  return <Asked name={name} example={body?.examples[0] ?? null} />;
}

function Asked({ name, example }: { readonly name: string; readonly example: Example | null }): ReactNode {
  const [work, setWork] = useState<Work>(() => toWork(name, example));
  return (
    <OneState
      work={work}
      change={(part) => {
        setWork((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) }));
      }}
    />
  );
}

/** A question that was learned is known by its words, so it has to be asked with the same ones. */
function toWork(name: string, example: Example | null): Work {
  const work = { ...firstWork(), engine: name };
  if (example === null) return work;
  const { value } = parseJson(JSON.stringify({ answer: example.question }));
  const questions = fromQuestions(value);
  const state = typeof example.state === 'string' ? plain(example.state) : work.state;
  return 'message' in questions ? work : { ...work, state, questions };
}
