/**
 * Makes `readings.bin` anew, where texts that the reader is asked about have changed: `node test/support/derive-readings.ts`.
 * Takes seven minutes of CPU. What has changed and is not in it yet is read by the tests themselves.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { hashOfReader, readingsFile, readingsPath } from './kept-vectors.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const askers = [
  'test/search/readmes.long.test.ts',
  'test/evaluation/people.test.ts',
  'test/engines/injection.test.ts',
];
await Promise.all([rm(readingsFile, { force: true }), rm(readingsPath(), { force: true })]);
const suite = spawn(process.execPath, ['test/run.ts', ...askers], {
  cwd: root,
  env: { ...process.env, NESTOR_TEST_ALL: '1', NESTOR_TEST_LONG: '1' },
  stdio: 'inherit',
});
const [status] = (await once(suite, 'exit')) as [number | null];
if (status !== 0) process.exitCode = 1;
const readings = await readFile(readingsPath());
await writeFile(readingsFile, Buffer.concat([Buffer.from(hashOfReader(), 'latin1'), readings]));
process.stdout.write(`${readings.length} bytes of readings\n`);
