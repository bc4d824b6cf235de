import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild, type Child } from './support/child.ts';
import { loopCases, type LoopCase } from './support/loop-cases.ts';
import { startLoopUpstream } from './support/loop-upstream.ts';
import { printTable, type Row } from './support/table.ts';

const rootKey = 'bench-root-key-0123456789abcdef';
const probeMs = 10;

/**
 * How long the heaviest requests that are allowed hold the serving thread, one after the other. `held` is the most CPU
 * time of that thread between two turns of its loop; `/healthz` is the longest answer to one that is asked again 10 ms after each
 * on a connection of its own, which a busy machine makes longer.
 */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-loop-'));
  const upstream = await startLoopUpstream();
  const server = await startNestor(folder, upstream.url);
  const rows: Row[] = [];
  try {
    await pause(2_000);
    for (const one of loopCases()) {
      const id = await measure(server, one, rows);
      if (!one.isReadAgain) continue;
      const again = { method: 'GET', status: 200, path: `/v1/agent/${id}` } as const;
      await measure(server, { ...again, name: '... read again' }, rows);
      await measure(server, { ...again, name: '... its events', path: `${again.path}?stream=true` }, rows);
    }
  } finally {
    await server.stop();
    upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
  printTable('The serving thread', ['', 'status', 'held ms', '/healthz ms', 'answer ms', 'reply KB'], rows);
}

async function startNestor(folder: string, url: string): Promise<Child> {
  const config = {
    log: { level: 'error' },
    detect: false,
    rate_limits: { enabled: false },
    outbound: { allow_hosts: [new URL(url).host] },
    providers: [{ name: 'bench', type: 'openai-compatible', base_url: `${url}/v1`, models: ['talker'] }],
    search: { finance: [{ type: 'edgar', url }] },
  };
  const file = join(folder, 'loop.yaml');
  await writeFile(file, JSON.stringify(config));
  const env = { NESTOR_CONFIG: file, NESTOR_DATA: folder, NESTOR_PORT: '0', NESTOR_ROOT_KEY: rootKey };
  return startChild(new URL('./support/nestor-server.ts', import.meta.url), env);
}

/** Adds a row, and returns the `id` of what was answered. */
async function measure(server: Child, one: LoopCase, rows: Row[]): Promise<string> {
  const probe = probeHealth(server.url);
  await server.loop();
  const startedAt = performance.now();
  const { status, text } = await send(server.url, one);
  const answerMs = performance.now() - startedAt;
  const { ownMaxMs } = await server.loop();
  const healthMs = await probe.close();
  const wrong = status === one.status ? '' : `, not ${one.status}: ${text.slice(0, 200)}`;
  rows.push([one.name, `${status}${wrong}`, ownMaxMs, healthMs, answerMs, text.length / 1e3]);
  return /"id":"(?<id>[^"]+)"/.exec(text)?.groups?.['id'] ?? '';
}

/** Asks again 10 ms after each answer; the longest wait counts. */
function probeHealth(url: string): { close(): Promise<number> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ended = new AbortController();
  let longestMs = 0;
  const probing = (async () => {
    while (!ended.signal.aborted) {
      const startedAt = performance.now();
      await send(url, { method: 'GET', path: '/healthz' }, agent);
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      await pause(probeMs);
    }
  })();
  return {
    async close() {
      ended.abort();
      await probing;
      agent.destroy();
      return longestMs;
    },
  };
}

type Sent = Pick<LoopCase, 'method' | 'path' | 'body' | 'type'>;

function send(url: string, one: Sent, agent?: Agent): Promise<{ status: number; text: string }> {
  const { method, path, body, type = 'application/json' } = one;
  const headers = {
    authorization: `Bearer ${rootKey}`,
    ...(body !== undefined && { 'content-type': type, 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { method, headers, ...(agent !== undefined && { agent }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    sent.on('error', reject).end(body);
  });
}
