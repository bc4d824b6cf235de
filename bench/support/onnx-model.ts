import { join } from 'node:path';
import type { OnnxLibrary } from '../../src/features/models/onnx/library.ts';

/**
 * RUNTIME THREADS FOLDER TOKENS...: prints the memory of this process in MiB and the CPU time of one row of each length in
 * ms, the least of several, because what else runs on the machine only adds to it.
 */
const [name = '', threads = '1', folder = '', ...lengths] = process.argv.slice(2);
const runs = 10;

const found = (await import(name)) as OnnxLibrary & { readonly default?: OnnxLibrary };
const library = { ...found.default, ...found };
if (name === 'onnxruntime-web') library.env.wasm.numThreads = Number(threads);
const session = await library.InferenceSession.create(join(folder, 'model.onnx'), {
  intraOpNumThreads: Number(threads),
});

async function read(tokens: number): Promise<number> {
  const row = (valueOf: (at: number) => number) =>
    new library.Tensor(
      'int64',
      BigInt64Array.from({ length: tokens }, (_, at) => BigInt(valueOf(at))),
      [1, tokens],
    );
  const values = {
    input_ids: row((at) => 1_000 + at),
    attention_mask: row(() => 1),
    token_type_ids: row(() => 0),
  };
  const feeds = Object.fromEntries(
    Object.entries(values).filter(([input]) => session.inputNames.includes(input)),
  );
  const before = process.cpuUsage();
  await session.run(feeds, session.outputNames.slice(0, 1));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const least: number[] = [];
for (const length of lengths.map(Number)) {
  await read(length);
  const taken: number[] = [];
  for (let run = 0; run < runs; run++) taken.push(await read(length));
  least.push(Math.min(...taken));
}
console.log(JSON.stringify([process.memoryUsage().rss / 2 ** 20, ...least]));
process.exit(0);
