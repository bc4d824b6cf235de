import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { runGuarantee } from '../../src/features/decisions/commands/guarantee.ts';
import { runLearn } from '../../src/features/decisions/commands/learn.ts';
import { openBareDecisions } from '../../src/features/decisions/feature.ts';
import { startServer } from '../support/server.ts';
import { createBench } from './support.ts';

const question = { type: 'noul', instructions: 'Is a refund asked for?' };
const asking = (at: number) => `I want my money back for order ${at}`;
const other = (at: number) => `Where is parcel ${at}?`;

const rows = Array.from({ length: 100 }, (_, at) => [
  JSON.stringify({ state: asking(at), question, answer: true }),
  JSON.stringify({ state: other(at), question, answer: false }),
]).flat();

/** A folder with the examples, and the file that the command writes there under these settings. */
async function fit(t: TestContext, env: Readonly<Record<string, string>>, examples = rows) {
  const bench = createBench(t, openBareDecisions, env);
  writeFileSync(join(bench.folder, 'mine.jsonl'), examples.join('\n'));
  assert.equal(await runGuarantee(['mine.jsonl', '--max-error', '0.05'], bench.context), 0, bench.err());
  return join(bench.folder, 'data/guarantee/mine/guarantee.json');
}

interface Answered {
  readonly status: number;
  readonly abstained: boolean | undefined;
  readonly message: string;
}

/** What a server with this decider answers under its bound. */
async function ask(t: TestContext, decider: object, state: string, withEncoder = false): Promise<Answered> {
  const deciders = [{ name: 'careful', max_error: 0.05, ...decider }];
  const config = JSON.stringify({ decisions: { engine: 'words', deciders } });
  const server = await startServer(t, { config, withEncoder });
  const questions = {
    refund: question,
    level: { type: 'score', instructions: 'How angry?', criteria: ['a', 'b'] },
  };
  const response = await server.post('/v1/decisions', { model: 'careful', state, questions });
  const { answers, error } = (await response.json()) as {
    answers?: Readonly<Record<string, { readonly abstained?: boolean }>>;
    error?: { readonly message: string };
  };
  assert.equal(answers?.['level']?.abstained ?? true, true, 'no score was among the examples');
  return {
    status: response.status,
    abstained: answers?.['refund']?.abstained,
    message: error?.message ?? '',
  };
}

suite('a guarantee that the command wrote, in a server', () => {
  test('holds for the engine and the steps of its fit, and for no other', async (t) => {
    const file = await fit(t, { NESTOR_DECISIONS_ENGINE: 'words', NESTOR_DECISIONS_PRIOR: 'true' });
    const fitted = { engine: 'words', prior: true, guarantees: [file] };
    assert.deepEqual(await ask(t, fitted, asking(7)), { status: 200, abstained: false, message: '' });
    const again = 'fit it again with "nestor guarantee"';
    for (const [change, parts] of [
      [{ prior: false }, 'prior'],
      [{ order: { passes: 2 }, negation: true }, 'negation, passes'],
      [{ engine: 'encoder' }, 'engine, reading, weights'],
    ] as const) {
      const { status, message } = await ask(t, { ...fitted, ...change }, asking(7), true);
      const reason = `since its guarantee for 0.05 was fitted, this has changed: ${parts}; ${again}`;
      assert.deepEqual([status, message], [400, `careful cannot promise an error of 0.05: ${reason}`]);
    }
    const { fingerprint: _, ...old } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify(old));
    const { message } = await ask(t, fitted, asking(7));
    assert.match(message, /its guarantee for 0\.05 does not say what it was fitted on; fit it again/);
  });

  test('is fitted on what was learned, as the server answers with it', async (t) => {
    const bench = createBench(t, openBareDecisions, { NESTOR_DECISIONS_ENGINE: 'encoder' });
    mkdirSync(join(bench.folder, 'data'), { recursive: true });
    writeFileSync(join(bench.folder, 'seen.jsonl'), rows.slice(0, 40).join('\n'));
    const learned = join(bench.folder, 'learned.json');
    assert.equal(await runLearn(['seen.jsonl', '--out', learned], bench.context), 0, bench.err());
    const file = await fit(
      t,
      { NESTOR_DECISIONS_ENGINE: 'encoder', NESTOR_DECISIONS_LEARNED: learned },
      rows.slice(40, 140),
    );
    const { fingerprint } = JSON.parse(readFileSync(file, 'utf8')) as { fingerprint: Record<string, string> };
    assert.match(fingerprint['learned'] ?? '', /^[0-9a-f]{32}$/);
    const fitted = { engine: 'encoder', learned, guarantees: [file] };
    assert.equal((await ask(t, fitted, asking(7), true)).abstained, false);
    const { message } = await ask(t, { ...fitted, learned: null }, asking(7), true);
    assert.match(message, /this has changed: learned; fit it again/);
  });
});
