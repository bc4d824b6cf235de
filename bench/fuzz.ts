/**
 * Mutated bodies through the port of one server process, uploads among them, `BENCH_BODIES` of them (1,000,000): that none
 * is answered with 5xx, none hangs and none ends the process, and what memory the process holds meanwhile.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentMiB, spawnServer } from '../test/e2e/server-process.ts';
import { exampleBodies, exampleForms } from '../test/support/examples.ts';
import { createClient } from '../test/support/http.ts';
import { createRandom, damage, mutate, toNode, toText, type Random } from '../test/support/mutate.ts';
import { printTable } from './support/table.ts';

const bodies = Number(process.env['BENCH_BODIES'] ?? 1_000_000);
const parallel = 24;
const samples = 20;
const seed = 20_261_122;
const key = 'bench-root-key-0123456789';
const json = (path: string, base: unknown): Target => ({ path, make: (random) => makeBody(base, random) });
const targets: readonly Target[] = [
  json('/v1/decisions', exampleBodies['createDecision']),
  json('/v1/systemone', exampleBodies['createDecision']),
  json('/openai/v1/decisions', exampleBodies['createOpenAiDecision']),
  json('/search', exampleBodies['createSearch']),
  json('/v1/embeddings', exampleBodies['createEmbeddings']),
  json('/openai/v1/responses', { ...exampleBodies['createOpenAiResponse'], store: false }),
  json('/openai/v1/chat/completions', exampleBodies['createOpenAiChatCompletion']),
  json('/anthropic/v1/messages', exampleBodies['createAnthropicMessage']),
  json('/mcp', exampleBodies['callMcp']),
  upload('/v1/decisions/batches', 'createDecisionBatch'),
  upload('/v1/skills', 'createSkill'),
];

interface Target {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly make: (random: Random) => Buffer;
}

function upload(path: string, id: string): Target {
  const form = exampleForms[id];
  if (form === undefined) throw new Error(`no form for ${id}`);
  // A whole one is kept, which fills the store.
  return { path, headers: form.headers, make: (random) => damage(form.body, random) };
}

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-fuzz-'));
  const server = await spawnServer(folder, {
    NESTOR_ROOT_KEY: key,
    NESTOR_DETECT: 'false',
    NESTOR_SANDBOX_RUNNER: 'off',
    NESTOR_RATE_LIMITS_ENABLED: 'false',
  });
  const send = createClient(server.url);
  const headers = { authorization: `Bearer ${key}` };
  const random = createRandom(seed);
  const rows: string[][] = [];
  let [started, answered] = [0, 0];
  let counts = new Map<number, number>();
  const worker = async (): Promise<void> => {
    while (started < bodies) {
      const { path, make, headers: own } = random.pick(targets);
      started++;
      const body = make(random);
      const { status, text } = await send({ method: 'POST', path, body, headers: { ...headers, ...own } });
      if (status >= 500)
        throw new Error(`${path} ${status} ${text}: ${body.toString('utf8').slice(0, 2_000)}`);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (++answered % Math.ceil(bodies / samples) === 0) {
        const since = [...counts].sort(([a], [b]) => a - b).map(([one, count]) => `${one}: ${count}`);
        const row = [String(answered), `${residentMiB(server.pid) ?? 0} MiB`, since.join(', ')];
        console.error(row.join('  '));
        rows.push(row);
        counts = new Map();
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: parallel }, worker));
  } finally {
    printTable(`Mutated bodies, seed ${seed}`, ['bodies', 'memory', 'statuses since'], rows);
    send.close();
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

function makeBody(base: unknown, random: Random): Buffer {
  let node = toNode(base);
  for (let left = random.below(4); left > 0; left--) node = mutate(node, random);
  const bytes = Buffer.from(toText(node), 'utf8');
  return random.next() < 0.15 ? damage(bytes, random) : bytes;
}
