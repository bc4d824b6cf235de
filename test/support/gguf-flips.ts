/** `node gguf-flips.ts FOLDER`: opens models with changed headers and asks those that open; dies where they kill. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLocalEngine } from '../../src/features/decisions/engines/local/index.ts';
import { writeTestModel } from './gguf.ts';
import { noulOf, stateOf } from './gguf-questions.ts';

const folder = process.argv[2] ?? '.';
const rounds = Number(process.argv[3] ?? 40);
const whole = await readFile(await writeTestModel());
const never = new AbortController().signal;
let state = Number(process.argv[4] ?? 7);
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
let opened = 0;
for (let round = 0; round < rounds; round++) {
  const changed = Buffer.from(whole);
  // The first kilobytes hold the numbers; then come names of tokens. The names of tensors are at the end.
  const headerEnd = changed.indexOf('blk.1.ffn_down.weight') + 60;
  const at = round % 2 === 0 ? 4 + random(900) : headerEnd - random(1_500);
  changed[at] = random(256);
  const path = join(folder, `flip.gguf`);
  await writeFile(path, changed);
  process.stdout.write(`round ${round} byte ${at} = ${changed[at]} was ${whole[at]}\n`);
  const engine = await openLocalEngine({ path, threads: 1, cacheBytes: 16 * 1_048_576 });
  if (engine.problem === null) {
    opened += 1;
    await engine.score(stateOf('short'), [noulOf('Is it?')], never).catch(() => {});
  } else process.stdout.write(`  ${engine.problem.slice(path.length)}\n`);
  await engine.close();
}
process.stdout.write(`done ${opened} ${rounds}\n`);
