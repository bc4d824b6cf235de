/**
 * The suite: `node test/run.ts` for what `npm test` runs, with a part or paths for less. Paths of sources stand for the
 * tests beside them.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { filesOf, partNames, root } from './support/suite-parts.ts';

/** Tests wait more than they compute, so one more than there are cores. */
const concurrency = availableParallelism() + 1;

const words = process.argv.slice(2);
const files = (words.length === 0 ? ['all'] : words).flatMap((word) => {
  if (word === 'all' || partNames.includes(word)) return filesOf(word);
  return [word.endsWith('.test.ts') ? word : word.replace(/\.tsx?$/, '.test.ts')];
});

// Every file is a process of its own. With what was compiled kept, its start costs a third of the CPU time (measured).
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/nestor');
if (words.includes('long')) process.env['NESTOR_TEST_LONG'] = '1';

const results = run({ files: [...new Set(files)], cwd: root, concurrency });
results.on('test:fail', () => (process.exitCode = 1));
results.compose(spec).pipe(process.stdout);
