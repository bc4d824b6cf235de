import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHubTokenizer, loadRuntime } from '../src/features/models/onnx/library.ts';
import { startChild, type Child } from './support/child.ts';
import { runLoad } from './support/load.ts';
import { printTable, type Row } from './support/table.ts';

/** A folder with a sentence encoder whose graph gives vectors of tokens, as all-MiniLM-L6-v2 does. */
const model =
  process.argv[3] ??
  join(process.env['NESTOR_TEST_WEIGHTS'] ?? join(homedir(), '.cache/nestor/weights'), 'minilm-int8');
const key = 'bench-root-key-0123456789';
const nestor = new URL('./support/nestor-server.ts', import.meta.url);
const rounds = 3;
const seconds = 3;

/** 40 words, which are 49 tokens. */
const state =
  'I ordered a green jacket two weeks ago and it has still not arrived. The tracking page says that it is in Leipzig ' +
  'since Monday and nobody answers my mails. Can you please tell me where it is and when I get it?';
const topics =
  'refund delivery exchange invoice password login complaint praise size colour stock voucher'.split(' ');
const noul = (index: number) => ({
  type: 'noul',
  instructions: `Is it about a ${topics[index]} of order 7?`,
});
const questions = {
  'one noul': { q: noul(0) },
  'five nouls on one state': Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`q${index}`, noul(index)])),
  'one choice of 150': {
    q: {
      type: 'choice',
      criteria: Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [`${topics[index % 12]} ${index}`, null]),
      ),
    },
  },
} as const;

interface Measured {
  readonly perSecond: number;
  /** Of the whole process. Unit: ms each. */
  readonly cpuMs: number;
}

/**
 * Decisions by a sentence encoder, beside its bare runtime on the same text: one row a request, because vectors of
 * options are kept. `npm run bench onnx [FOLDER]`; takes onnxruntime-node where that can be imported.
 */
export async function run(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const bare = await openBare();
  console.log(`${process.version}, ${cpus().length} cores, ${bare.runtime}, ${bare.tokens} tokens of state`);
  const server = await startChild(nestor, {
    NESTOR_DATA: data,
    NESTOR_PORT: '0',
    NESTOR_ROOT_KEY: key,
    NESTOR_RATE_LIMITS_ENABLED: 'false',
    NESTOR_DECISIONS_ENGINE: 'onnx',
    NESTOR_DECISIONS_PATH: model,
    NESTOR_LOG_LEVEL: 'warn',
  });
  try {
    await benchRequests(server, bare);
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
}

/** In turn, so that a drift of the machine hits all alike; of each the median. */
async function benchRequests(server: Child, bare: Bare): Promise<void> {
  const names = Object.keys(questions) as (keyof typeof questions)[];
  const floor: Measured[] = [];
  const ours = new Map<string, Measured[]>();
  for (let round = 0; round < rounds; round++) {
    floor.push(await measureBare(bare));
    for (const name of names) {
      for (const clients of [1, 64]) {
        const found = await measure(
          server,
          JSON.stringify({ model: 'svc-decider-v1-27b', state, questions: questions[name] }),
          clients,
        );
        const label = `${name}, ${clients} clients`;
        ours.set(label, [...(ours.get(label) ?? []), found]);
      }
    }
  }
  const least = median(floor);
  const rows: Row[] = [['bare runtime', least.perSecond, least.cpuMs, 1, 1]];
  for (const [name, found] of ours) {
    const { perSecond, cpuMs } = median(found);
    rows.push([name, perSecond, cpuMs, perSecond / least.perSecond, cpuMs / least.cpuMs]);
  }
  printTable('Decisions, engine onnx', ['', 'per s', 'CPU ms each', 'per s / bare', 'CPU / bare'], rows);
}

const median = (found: readonly Measured[]): Measured =>
  found.toSorted((a, b) => a.cpuMs - b.cpuMs)[found.length >> 1] ?? {
    perSecond: Number.NaN,
    cpuMs: Number.NaN,
  };

interface Bare {
  readonly runtime: string;
  readonly tokens: number;
  /** Tokenizes the state and gives its vector. */
  read(): Promise<Float32Array>;
}

async function openBare(): Promise<Bare> {
  const { name, library } = await loadRuntime();
  const settings = async (file: string) => JSON.parse(await readFile(join(model, file), 'utf8')) as object;
  const tokenizer = await createHubTokenizer(
    await settings('tokenizer.json'),
    await settings('tokenizer_config.json'),
  );
  const session = await library.InferenceSession.create(join(model, 'model.onnx'), { intraOpNumThreads: 1 });
  const tensor = (values: readonly number[]) =>
    new library.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const encode = () =>
    tokenizer.encode(state, { text_pair: null, add_special_tokens: true, return_token_type_ids: true });
  const output = session.outputNames[0] ?? '';
  return {
    runtime: name,
    tokens: encode().ids.length,
    async read() {
      const { ids, token_type_ids: types = [] } = encode();
      const feeds = { input_ids: ids, attention_mask: ids.map(() => 1), token_type_ids: types };
      const used = Object.entries(feeds).filter(([input]) => session.inputNames.includes(input));
      const outputs = await session.run(
        Object.fromEntries(used.map(([input, values]) => [input, tensor(values)])),
        [output],
      );
      const values = outputs[output]?.data as Float32Array;
      const size = values.length / ids.length;
      return Float32Array.from({ length: size }, (_, at) => {
        let sum = 0;
        for (let token = 0; token < ids.length; token++) sum += values[token * size + at] ?? 0;
        return sum / ids.length;
      });
    },
  };
}

async function measureBare(bare: Bare): Promise<Measured> {
  await bare.read();
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let count = 0;
  for (; performance.now() - startedMs < seconds * 1_000; count++) await bare.read();
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (count * 1_000) / (performance.now() - startedMs),
    cpuMs: (user + system) / 1_000 / count,
  };
}

async function measure(server: Child, body: string, clients: number): Promise<Measured> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const load = { url: server.url, path: '/v1/decisions', headers, body };
  await runLoad(load, clients, 0.5);
  const before = await server.usage();
  const { requests, seconds: elapsed } = await runLoad(load, clients, seconds);
  const after = await server.usage();
  return { perSecond: requests / elapsed, cpuMs: (after.cpuMs - before.cpuMs) / requests };
}
