import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { printTable, type Row } from './support/table.ts';

const measure = new URL('./support/onnx-model.ts', import.meta.url).pathname;
const runtimes = ['onnxruntime-web', 'onnxruntime-node'];
const rowTokens = [16, 64, 256];

/**
 * What reading costs in the two runtimes, by model and threads: CPU time, which other programs on the machine change less
 * than the time on a clock, and memory. `npm run bench onnx-models FOLDER...`; each measurement has a process of its own.
 */
export async function run(): Promise<void> {
  const rows: Row[] = [];
  for (const folder of process.argv.slice(3)) {
    for (const runtime of runtimes) {
      for (const threads of [1, 2]) {
        const child = promisify(execFile)(process.execPath, [
          measure,
          runtime,
          String(threads),
          folder,
          ...rowTokens.map(String),
        ]);
        const { stdout } = await child.catch(() => ({ stdout: '' }));
        const [mebibytes = Number.NaN, ...each] = stdout === '' ? [] : (JSON.parse(stdout) as number[]);
        const costs = rowTokens.map((_, index) => each[index] ?? Number.NaN);
        rows.push([basename(folder), runtime, threads, ...costs, mebibytes]);
      }
    }
  }
  const head = ['', '', 'threads', ...rowTokens.map((tokens) => `${tokens} tokens`), 'MiB'];
  printTable('CPU ms a row, and what the process takes', head, rows);
}
