import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { openLocalModel } from '../../src/features/models/providers/local/engine.ts';
import { openLocal } from '../../src/features/models/providers/local/index.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { python } from '../docs/run-example.ts';
import { scriptedProvider } from '../support/providers.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { hangMs } from '../support/until.ts';
import { skipsWeights, smolLm2 } from '../support/weights.ts';
import { assistant } from './agent.fixture.ts';

/**
 * The published Python clients, against weights that were trained, and a scripted model that calls functions. Each
 * program prints what its client made of the answers.
 */

const run = promisify(execFile);
const [writer, caller] = ['home/smollm2', 'lab/echo'];
const skip = python === undefined ? 'needs NESTOR_TEST_PYTHON; .ci/run makes one' : skipsWeights;

suite('Python', { skip }, () => {
  const closers: (() => Promise<void>)[] = [];
  let server: TestServer;
  before(async () => {
    const one = { name: 'home', path: smolLm2, id: 'smollm2' };
    const home = await openLocal(one, {
      ids: randomIds,
      open: (file) => openLocalModel({ ...file, threads: 1 }),
    });
    const lab = scriptedProvider('lab', { echo: { answer: assistant } });
    server = await startServer({ after: (close) => void closers.push(close) }, { providers: [home, lab] });
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  /** What a program prints. */
  async function outputOf<Output>(program: string): Promise<Output> {
    const env = { NESTOR_URL: server.url, NESTOR_KEY: server.key, WRITER: writer, CALLER: caller };
    const file = new URL(`python/${program}.py`, import.meta.url).pathname;
    const { stdout } = await run(python ?? '', [file], { env, timeout: hangMs });
    return JSON.parse(stdout) as Output;
  }

  test('openai, at the surface that is made for it', async () => {
    assert.deepEqual(await outputOf('openai_surface_client'), {
      model: caller,
      streamed: ['Hello there.', 'Hello there.'],
      parsed: { city: 'Bern', days: 2 },
      called: ['completed', 'weather', 'It says: sun', ['function_call_output']],
      chat: 'Hello there.',
      vector: 1_024,
      refusal: ['model_not_found', 'model'],
    });
  });

  const isCity = ({ size, old }: { readonly size: string; readonly old: unknown }) =>
    ['small', 'large'].includes(size) && typeof old === 'boolean';

  test('openai', async () => {
    const told = await outputOf<{
      models: string[];
      whole: { text: string; tokens: number };
      finish: string;
      streamed: object;
      at_once: string[];
      parsed: { size: string; old: unknown };
      responses: [deltas: string, whole: string];
      call: unknown;
      told: string;
      no_functions: unknown;
      no_key: unknown;
      no_model: unknown;
    }>('openai_client');
    const { text } = told.whole;
    assert.ok(told.models.includes(writer) && told.models.includes(caller));
    assert.ok(text.length > 0);
    assert.deepEqual([told.whole.tokens, told.finish], [37 + 12, 'length']);
    assert.deepEqual([told.streamed, told.at_once], [told.whole, [text, text]]);
    assert.ok(isCity(told.parsed), JSON.stringify(told.parsed));
    assert.equal(told.responses[0], told.responses[1]);
    assert.deepEqual([told.call, told.told], [['weather', { city: 'Bern' }], 'It says: sun']);
    assert.deepEqual(told.no_functions, ['BadRequestError', 400, 'tools']);
    assert.deepEqual(told.no_key, ['AuthenticationError', 401, null]);
    assert.deepEqual(told.no_model, ['BadRequestError', 400, 'model']);
  });

  test('anthropic', async () => {
    const told = await outputOf<Record<string, unknown> & { text: string }>('anthropic_client');
    assert.ok(told.text.length > 0);
    assert.deepEqual([told['stop_reason'], told['usage'], told['counted']], ['max_tokens', [37, 12], 37]);
    assert.deepEqual(told['streamed'], [told.text, told.text]);
    assert.deepEqual(told['call'], ['tool_use', 'weather', { city: 'Bern' }]);
    assert.equal(told['told'], 'It says: sun');
    assert.deepEqual(told['no_functions'], ['BadRequestError', 400, 'error']);
    assert.deepEqual(told['no_key'], ['AuthenticationError', 401, 'error']);
  });

  test('langchain-openai', async () => {
    const told = await outputOf<
      Record<string, unknown> & { text: string; shaped: { size: string; old: unknown } }
    >('langchain_client');
    const { text } = told;
    assert.ok(text.length > 0);
    assert.deepEqual([told['usage'], told['finish']], [37 + 12, 'length']);
    assert.deepEqual(told['streamed'], [text, 37 + 12]);
    assert.deepEqual([told['awaited'], told['batched']], [text, [text, text]]);
    assert.ok(isCity(told.shaped), JSON.stringify(told.shaped));
    assert.deepEqual([told['call'], told['told']], [['weather', { city: 'Bern' }], 'It says: sun']);
  });
});
