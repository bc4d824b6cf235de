import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { chatProvider } from '../support/chat-provider.ts';
import { isEnded, type Job } from '../support/jobs.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollEnd } from '../support/until.ts';

const entry = new URL('../../bin/nestor.mjs', import.meta.url).pathname;

function spawnWorker(folder: string, store: string, argv: readonly string[] = []) {
  return spawn(process.execPath, [entry, 'worker', ...argv], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NESTOR_DATA: folder,
      NESTOR_DATABASE_URL: store,
      NESTOR_DETECT: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function readAll(stream: AsyncIterable<Buffer> | null): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) text += chunk.toString();
  return text;
}

test('nestor worker refuses an embedded store in one line', async (t) => {
  const folder = await temporaryFolder(t);
  const child = spawnWorker(folder, 'sqlite');
  const told = readAll(child.stderr);
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 1);
  assert.match(await told, /^nestor[^\n]*workers of their own need PostgreSQL[^\n]*\n$/);
});

suite('nestor worker on PostgreSQL', { skip: postgresSkipReason() }, () => {
  test('runs jobs that a server took, and stops when it is told to', async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const store = await postgres.createStore();
    // The server has a slow model and the worker has none, so what was answered tells who did it.
    const env = { NESTOR_DATABASE_URL: store, NESTOR_ASYNC_WORKERS: '1' };
    const server = await startServer(t, { ...chatProvider(200), env });
    const folder = await temporaryFolder(t);
    const child = spawnWorker(folder, store, ['--json']);
    t.after(() => void child.kill('SIGKILL'));
    const [begun] = (await once(child.stdout, 'data')) as [Buffer];
    assert.ok((JSON.parse(begun.toString()) as { workers: number }).workers > 0);
    const request = { model: 'svc', messages: [{ role: 'user', content: 'What is a kea?' }] };
    const created = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await server.post('/async/chat/completions', { request });
        return (await response.json()) as Job;
      }),
    );
    const headers = { authorization: `Bearer ${server.key}` };
    const contents: string[] = [];
    for (const { id } of created) {
      const look = async () =>
        (await (await fetch(`${server.url}/async/chat/completions/${id}`, { headers })).json()) as Job;
      const job = await pollEnd(look, isEnded, `the job ${id} does not end`);
      contents.push(job.response?.choices[0]?.message.content ?? job.error_message ?? '');
    }
    assert.equal(contents.length, 20);
    assert.ok(
      contents.some((content) => content !== 'The kea is a parrot.'),
      'the worker, which has no model, did some',
    );
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
  });
});
