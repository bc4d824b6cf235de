import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { CitationIndex } from '../../src/features/agent/citation-index.ts';
import type { AgentEvent } from '../../src/features/agent/events.ts';
import { runAgent } from '../../src/features/agent/loop.ts';
import { createVerifier, type VerifyMode } from '../../src/features/verification/run-verifier.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openWordsEngine } from '../../src/features/decisions/engines/words/index.ts';
import { checkRun } from '../support/agent-grammar.ts';
import { agentRun } from '../support/agent-run.ts';
import { finish, says, scriptedModels, text } from '../support/models.ts';

const page = `The kea is a parrot of New Zealand. A kea is about 48 cm long. Keas do not migrate in winter.`;
const answer = `# Keas

The kea is a parrot of New Zealand [1]. A kea is about 84 cm long [1]. Keas do not migrate in winter [1].

- Keas migrate in winter [1].
- A kea is about 48 cm long. [1]

They are said to be playful.`;

/** `pieces` is what the model sends, one event each. */
async function run(mode: VerifyMode, pieces: readonly string[], sources: CitationIndex) {
  const models = scriptedModels({
    'test/a': says(...pieces.map((piece) => [text(piece)]), finish()),
  });
  const engine = await openWordsEngine();
  const receipts = { put: async (_: string, receipt: { readonly id: string }) => receipt.id };
  const verifier = createVerifier({ engine, receipts, clock: systemClock, ids: randomIds });
  const events: AgentEvent[] = [];
  const asked = {
    ...agentRun,
    stepsMax: 0,
    toolCallsMax: 0,
    sources,
    verification: verifier.forRun(mode),
  };
  for await (const batch of runAgent(asked, models, new AbortController().signal)) events.push(...batch);
  const verified = events.find((event) => event.type === 'verification')?.verification;
  return { ...checkRun(events), events, verified };
}

function withPage(): CitationIndex {
  const sources = new CitationIndex();
  const found = { url: 'https://kea.example/', title: 'Kea', snippet: page, text: page };
  sources.cite({ ...found, date: null, lastUpdated: null, language: null });
  return sources;
}

const toPieces = (length: number) => answer.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
const unsupported = ['A kea is about 84 cm long [1].', '- Keas migrate in winter [1].'];

suite('runs that are verified', () => {
  test('mark leaves the answer and every event as it is, and tells before the end what is unsupported', async () => {
    const { texts, events, verified } = await run('mark', toPieces(7), withPage());
    assert.deepEqual(texts, [answer]);
    assert.deepEqual(
      events.slice(-2).map(({ type }) => type),
      ['verification', 'end'],
    );
    assert.deepEqual(
      verified?.unsupported.map((one) => one.text),
      unsupported,
    );
    assert.equal(verified.sentences, 5);
    const deltas = events.filter(({ type }) => type === 'text-delta').length;
    assert.ok(deltas >= toPieces(7).length / 2, 'text is sent as it comes');
  });

  for (const length of [1, 7, 40, answer.length])
    test(`remove leaves out what is unsupported, in pieces of ${length}, and moves the citations`, async () => {
      const { texts, verified } = await run('remove', toPieces(length), withPage());
      assert.deepEqual(texts, [
        `# Keas

The kea is a parrot of New Zealand [1]. Keas do not migrate in winter [1].
- A kea is about 48 cm long. [1]

They are said to be playful.`,
      ]);
      assert.deepEqual(
        verified?.unsupported.map((one) => one.text),
        unsupported,
      );
    });

  test('remove sends what is judged before the answer ends', async () => {
    const { events } = await run('remove', toPieces(7), withPage());
    assert.ok(events.filter(({ type }) => type === 'text-delta').length >= 4);
  });

  test('an answer of which nothing is left says so', async () => {
    const { texts } = await run('remove', ['A kea is about 84 cm long [1].'], withPage());
    assert.deepEqual(texts, ['The sources do not support what was to be said here.']);
  });

  test('what cites nothing is neither held nor judged', async () => {
    const { texts, verified } = await run('remove', ['One. ', 'Two.'], new CitationIndex());
    assert.deepEqual(texts, ['One. Two.']);
    assert.equal(verified, undefined);
  });
});
