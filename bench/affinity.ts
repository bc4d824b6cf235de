import type { Balance } from '../src/features/models/balance/balancer.ts';
import { openModels } from '../src/features/models/open-models.ts';
import { emptyRequest, type ModelRequest, type Turn } from '../src/features/models/model.ts';
import { openOpenAiCompatible } from '../src/features/models/providers/openai-compatible/index.ts';
import { systemClock } from '../src/kernel/kit/clock.ts';
import { randomIds } from '../src/kernel/kit/ids.ts';
import { startCachingUpstream, type CachingUpstream } from './support/fanout-upstream.ts';
import { printTable, type Row } from './support/table.ts';

const replicas = 4;
const slots = 4;
const clients = 16;
const conversations = 48;
const turns = 5;
const programs = 6;
const rounds = 3;
const balances: readonly Balance[] = ['weight', 'prefix', 'latency'];

/** Words stand for tokens, as in the scripted servers. */
const words = (count: number, seed: string) =>
  Array.from({ length: count }, (_, index) => `${seed}${(index * 7_919) % 5_000}`).join(' ');

/**
 * What it is worth to send a conversation to the replica that has kept its beginning: conversations of five turns, of
 * programs with 800 tokens of instructions each, over four scripted servers with prefix caches. All ways in each round.
 */
export async function run(): Promise<void> {
  // The last: five conversations' worth of cache a server, where twelve run on each.
  for (const [kept, blocksMax] of [
    ['all', Infinity],
    ['6,400 tokens', 400],
  ] as const) {
    const rows: Row[] = [];
    for (let round = 1; round <= rounds; round++)
      for (const balance of balances)
        rows.push([`${balance}, round ${round}`, ...(await measure(balance, blocksMax))]);
    rows.sort(([a = ''], [b = '']) => String(a).localeCompare(String(b)));
    printTable(
      `${conversations} conversations of ${turns} turns, ${clients} at once, ${replicas} servers of ${slots} slots that keep ${kept}`,
      ['', 'tokens evaluated of all', 'median ms', 'p95 ms', 'all s', 'most of a server'],
      rows,
    );
  }
}

async function measure(balance: Balance, blocksMax: number): Promise<readonly number[]> {
  const upstreams = await Promise.all(
    Array.from({ length: replicas }, () => startCachingUpstream(slots, blocksMax)),
  );
  const models = openReplicas(upstreams, balance);
  const waits: number[] = [];
  let next = 0;
  let sent = 0;
  const startedAt = performance.now();
  const client = async (): Promise<void> => {
    while (next < conversations) {
      const number = next++;
      const said: Turn[] = [];
      for (let turn = 0; turn < turns; turn++) {
        said.push({ role: 'user', parts: [{ type: 'text', text: words(60, `u${number}-${turn}-`) }] });
        const request: ModelRequest = {
          ...emptyRequest,
          system: [words(800, `s${number % programs}-`)],
          turns: said,
        };
        const askedAt = performance.now();
        const { events } = await models.open(['svc/all'], request, new AbortController().signal);
        for await (const batch of events) void batch;
        waits.push(performance.now() - askedAt);
        sent += 800 + said.length * 60;
        said.push({ role: 'assistant', parts: [{ type: 'text', text: words(60, `a${number}-${turn}-`) }] });
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - startedAt) / 1_000;
  const evaluated = upstreams.reduce((sum, upstream) => sum + upstream.evaluated, 0);
  const most = Math.max(...upstreams.map(({ bodies }) => bodies.length)) / (conversations * turns);
  await models.close();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
  waits.sort((a, b) => a - b);
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? NaN;
  return [evaluated / sent, at(0.5), at(0.95), seconds, most];
}

function openReplicas(upstreams: readonly CachingUpstream[], balance: Balance) {
  const own = { all: upstreams.map((_, index) => ({ model: `gpu-${index}/bench`, weight: 1 })) };
  const models = openModels({
    settings: {
      family: 'svc',
      aliases: { upstream: true, models: {} },
      models: own,
      prices: {},
      balance,
      providers: [],
    },
    fallback: null,
    clock: systemClock,
    onBackendFailure({ id, fault }) {
      throw new Error(`${id} gave up`, { cause: fault });
    },
  });
  for (const [place, { url }] of upstreams.entries()) {
    const options = { key: null, headers: {}, models: ['bench'], timeoutMs: 60_000, totalTimeoutMs: 60_000 };
    const provider = openOpenAiCompatible(
      { ...options, name: `gpu-${place}`, baseUrl: `${url}/v1` },
      { clock: systemClock, ids: randomIds },
    );
    models.add({ provider, asked: false, prefer: null }, place);
  }
  return models;
}
