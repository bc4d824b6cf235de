import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { createBatches, resultsOf, untilOver } from '../support/batches.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/until.ts';
import { systemOneHandler } from '../support/upstream-systemone.ts';
import { startUpstream, type UpstreamHandler } from '../support/upstream.ts';
import { spawnServer, type ServerProcess } from './server-process.ts';

const key = 'test-root-key-0123456789';
const env = { NESTOR_ROOT_KEY: key, NESTOR_DETECT: 'false', NESTOR_SANDBOX_RUNNER: 'off' };
const questions = { late: { type: 'noul', instructions: 'Is it late?' } };
const asked = { model: 'svc-decider-v1-27b', questions };

/** What the engine makes of a row by its text: an answer that is none. */
const poison = 'makes the engine throw';
const huge = 'word '.repeat(3_000);

interface Result {
  readonly line: number;
  readonly id: number;
  readonly answers?: object;
  readonly error?: { readonly message: string };
}

/** A server whose engine fails at some rows, which may be killed and started again. */
async function start(t: TestContext, onRow: (state: unknown) => void = () => {}) {
  const sound = systemOneHandler();
  const broken = systemOneHandler(() => ({ late: { type: 'noul', noul: 'none' } }));
  const handler: UpstreamHandler = (request) => {
    const { state } = request.body as unknown as { readonly state: unknown };
    onRow(state);
    return (String(state).includes(poison) ? broken : sound)(request);
  };
  const upstream = await startUpstream(t, handler);
  const folder = await temporaryFolder(t);
  const decisions = {
    engine: 'systemone',
    upstreams: [{ url: upstream.url }],
    max_input_tokens: 2_000,
  };
  writeFileSync(join(folder, 'nestor.yaml'), JSON.stringify({ decisions, rate_limits: { enabled: false } }));
  let server: ServerProcess = await spawnServer(folder, env);
  t.after(() => server.end('SIGKILL'));
  return {
    batches: () => createBatches({ url: server.url, key }),
    ended: () => server.ended(),
    kill: () => server.end('SIGKILL'),
    async again() {
      server = await spawnServer(folder, env);
    },
  };
}

type Started = Awaited<ReturnType<typeof start>>;

async function resultsIn({ batches }: Started, id: string): Promise<readonly Result[]> {
  const { text } = await resultsOf(batches(), id);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
}

const upload = async ({ batches }: Started, states: readonly string[]): Promise<string> => {
  const rows = states.map((state, id) => JSON.stringify({ id, state }));
  return (await batches().upload(asked, rows.join('\n'))).id;
};

suite('a row that the engine fails at', () => {
  test('has an error of its own, and stops none of the others, killed amid them too', async (t) => {
    const server = await start(t);
    const bad = new Map([
      [0, poison],
      [100, huge],
      [101, poison],
      [299, poison],
      [300, huge],
      [599, poison],
    ]);
    const states = Array.from({ length: 600 }, (_, at) => bad.get(at) ?? `Order ${at} is late`);
    const id = await upload(server, states);
    await poll(
      () => server.batches().find(id),
      (batch) => (batch['rows'] as { readonly answered: number }).answered >= 150,
    );
    await server.kill();
    await server.again();
    const over = await untilOver(server.batches(), id);
    assert.deepEqual(over['rows'], { total: 600, answered: 594, failed: 6, left: 0 });
    const results = await resultsIn(server, id);
    assert.deepEqual(
      results.map((one) => one.id),
      [...states.keys()],
    );
    for (const { id: row, answers, error } of results) {
      assert.equal(answers === undefined, bad.has(row), `row ${row}`);
      if (bad.get(row) === huge)
        assert.match(error?.message ?? '', /maximum context length|too long|exceeds/i);
      else if (bad.has(row)) assert.ok((error?.message ?? '') !== '');
    }
  });

  test('and with it the process, each time: it is refused in the end, and the others are answered', async (t) => {
    let kill = (): void => {};
    const server = await start(t, (state) => {
      if (String(state).includes('ends the process')) kill();
    });
    kill = () => void server.kill();
    const states = Array.from({ length: 40 }, (_, at) =>
      at === 20 ? 'ends the process' : `Order ${at} is late`,
    );
    const id = await upload(server, states);
    let ends = 0;
    for (;;) {
      const over = untilOver(server.batches(), id).then(
        () => true,
        () => false,
      );
      if (await Promise.race([over, server.ended().then(() => false)])) break;
      ends++;
      await server.again();
    }
    t.diagnostic(`the process ended ${ends} times`);
    const results = await resultsIn(server, id);
    assert.deepEqual(
      results.map((one) => one.id),
      [...states.keys()],
    );
    assert.deepEqual(
      results.flatMap(({ id: row, error }) => (error === undefined ? [] : [[row, error.message]])),
      [[20, 'The server ended each time it was asked this']],
    );
  });
});
