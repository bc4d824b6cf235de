import { openSandbox } from '../src/features/sandbox/open-sandbox.ts';
import type { SandboxLimits, SharedRunner } from '../src/features/sandbox/runner.ts';
import { printTable, type Row } from './support/table.ts';

const limits: SandboxLimits = {
  wallMs: 60_000,
  cpuMs: 30_000,
  memoryBytesMax: 536_870_912,
  outputBytesMax: 65_536,
  filesBytesMax: 67_108_864,
  filesMax: 200,
  processesMax: 64,
};
const rounds = 30;
const together = 20;

/**
 * What a sandbox costs before the code does anything: from the start of the server until a runner is found (cold), a
 * run of one line after that (warm), and 20 of them sent at once.
 */
export async function run(): Promise<void> {
  const rows: Row[] = [];
  for (const name of ['bubblewrap', 'pyodide'] as const) rows.push(await measure(name));
  printTable(
    'One line of Python, ms',
    ['', 'cold start', 'first', 'warm p50', 'warm p95', `${together} at once, each`],
    rows,
  );
}

async function measure(name: string): Promise<Row> {
  const from = performance.now();
  const sandbox = openSandbox({ config: { runner: name }, runsMax: 4, waitingMax: together });
  const { unfit } = await sandbox.settled;
  const cold = performance.now() - from;
  const runner = sandbox.current();
  if (runner === null) return [`${name}: ${unfit[0]?.reason ?? ''}`, NaN, NaN, NaN, NaN, NaN];
  const first = await timed(runner);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timed(runner));
  times.sort((a, b) => a - b);
  const begun = performance.now();
  await Promise.all(Array.from({ length: together }, () => timed(runner)));
  const each = (performance.now() - begun) / together;
  await sandbox.close();
  const at = (share: number) => times[Math.floor(times.length * share)] ?? NaN;
  return [name, cold, first, at(0.5), at(0.95), each];
}

async function timed(runner: SharedRunner): Promise<number> {
  const run = { language: 'python', code: 'print(6 * 7)', files: [], readOnlyFiles: [] } as const;
  const from = performance.now();
  const { stdout } = await runner.run(run, limits, new AbortController().signal, 'bench');
  if (stdout !== '42\n') throw new Error('the sandbox does not compute');
  return performance.now() - from;
}
