/**
 * What reading a body costs beside `JSON.parse` of the same bytes, decoded: with duplicate names, nesting, items and
 * numbers out of range looked at. CPU time of this thread, the best of three rounds.
 */
import { parseJson } from '../src/kernel/kit/json-parse.ts';
import { printTable } from './support/table.ts';

const roundMs = 100;
const rounds = 3;
const decoder = new TextDecoder('utf-8', { fatal: true });
const limits = { depthMax: 64, itemsMax: 10_000_000 };

export function run(): Promise<void> {
  const rows = Object.entries(shapes()).map(([shape, text]) => {
    const bytes = Buffer.from(text);
    const costs: [number, number] = [Infinity, Infinity];
    for (let round = 0; round < rounds; round++) {
      costs[0] = Math.min(
        costs[0],
        measure(() => JSON.parse(decoder.decode(bytes))),
      );
      costs[1] = Math.min(
        costs[1],
        measure(() => parseJson(bytes, limits)),
      );
    }
    return [
      shape,
      `${(bytes.length / 1e6).toFixed(1)} MB`,
      `${costs[0].toFixed(1)} ms`,
      `${costs[1].toFixed(1)} ms`,
      (costs[1] / costs[0]).toFixed(2),
    ];
  });
  printTable('Reading JSON', ['', 'size', 'JSON.parse', 'Nestor', 'ratio'], rows);
  return Promise.resolve();
}

/** CPU time of one call. Unit: ms. */
function measure(work: () => unknown): number {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  work();
  const startedAt = cpuMs();
  for (let calls = 1; ; calls++) {
    work();
    const spentMs = cpuMs() - startedAt;
    if (spentMs >= roundMs) return spentMs / calls;
  }
}

function shapes(): Readonly<Record<string, string>> {
  const list = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join(',')}]`;
  const object = (count: number, nameOf: (index: number) => string) =>
    `{${Array.from({ length: count }, (_, index) => `"${nameOf(index)}":${index}`).join(',')}}`;
  return {
    'small objects with numeric keys': list('{"1":1}', 300_000),
    'numeric keys out of order': list('{"10":1,"2":2,"z":3}', 100_000),
    'empty objects': list('{}', 500_000),
    'empty arrays': list('[]', 500_000),
    'one-letter escaped keys': list('{"\\n":1}', 250_000),
    'escaped keys of Python': list('{"\\u662f\\u5426":"yes","n":1}', 100_000),
    'nested objects': list(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`, 4_000),
    'nested arrays': list(`${'['.repeat(60)}${']'.repeat(60)}`, 10_000),
    backslashes: `["${'\\\\'.repeat(2_000_000)}"]`,
    'escaped quotes': `["${'\\"'.repeat(2_000_000)}"]`,
    'base64, one string': `["${'QUJD'.repeat(2_000_000)}"]`,
    'Chinese, one string': `["${'是否'.repeat(1_000_000)}"]`,
    'short strings': list('"ab"', 400_000),
    sentences: list('"the quick brown fox jumps"', 150_000),
    'small integers': list('1', 800_000),
    fractions: list('0.123456789012345', 300_000),
    exponents: list('1e5', 500_000),
    literals: list('null', 600_000),
    records: list('{"role":"user","content":"hello there","n":12.5,"ok":true,"tags":["a","b"]}', 40_000),
    'objects of 40 keys': list(
      object(40, (index) => `key${index}`),
      4_000,
    ),
    'one wide object': object(200_000, (index) => `k${Math.imul(index, 2_654_435_761)}`),
    'one wide object, numbers': object(200_000, (index) => String(index * 7)),
    spaces: `[${' '.repeat(4_000_000)}]`,
  };
}
