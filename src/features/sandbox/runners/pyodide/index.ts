import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../../kernel/faults.ts';
import { runChild } from '../../child.ts';
import { toInput } from '../../exchange.ts';
import { toResult } from '../../outcome.ts';
import { probe } from '../../probe.ts';
import {
  defineRunner,
  RunnerUnfit,
  type Baits,
  type RunnerContext,
  type SandboxLimits,
  type SandboxRunner,
} from '../../runner.ts';
import { findPackage, toCommand } from './command.ts';

/** Python in WebAssembly, in a process that Node starts without rights. Throws `RunnerUnfit`. */
async function openPyodide({ baits, signal }: RunnerContext): Promise<SandboxRunner> {
  const folder = findPackage();
  const snapshot = await makeSnapshot(folder, baits, signal);
  const runner = createRunner(folder, snapshot);
  try {
    await probe(runner, baits, signal);
    return runner;
  } catch (error) {
    await runner.close();
    throw error;
  }
}

export const pyodide = defineRunner({ name: 'pyodide', needs: 'the package pyodide', open: openPyodide });

function createRunner(folder: string, snapshot: number): SandboxRunner {
  return {
    name: 'pyodide',
    languages: ['python'],
    async run(run, limits, signal) {
      if (run.language !== 'python') throw new Fault('invalid_value', 'This sandbox runs Python only.');
      const command = toCommand(folder, ['run'], limits);
      const child = { ...command, input: toInput(run, limits), extra: snapshot };
      return toResult(await runChild(child, limits, signal), limits);
    },
    close() {
      closeSync(snapshot);
      return Promise.resolve();
    },
  };
}

/** The interpreter with its library is about 31 MB. */
const snapshotLimits: SandboxLimits = {
  wallMs: 60_000,
  cpuMs: 60_000,
  memoryBytesMax: 1_073_741_824,
  outputBytesMax: 65_536,
  filesBytesMax: 134_217_728,
  filesMax: 0,
  processesMax: 0,
};

/**
 * The state of a started interpreter, made before any code of strangers runs: starting from it takes a fifth of the
 * time. An open file without a name, which is gone with this process and which nobody can write. Throws `RunnerUnfit`.
 */
async function makeSnapshot(folder: string, baits: Baits, signal: AbortSignal): Promise<number> {
  const command = toCommand(folder, ['snapshot', baits.file, String(baits.port)], snapshotLimits);
  const { report, stderr } = await runChild({ ...command, input: new Uint8Array() }, snapshotLimits, signal);
  const end = report?.indexOf('\n') ?? -1;
  if (report === null || end === -1) throw new RunnerUnfit(`it does not start: ${stderr.trim().slice(-200)}`);
  const head: unknown = JSON.parse(report.subarray(0, end).toString('utf8'));
  const { allowed } = head as { readonly allowed: readonly string[] };
  if (baits.isReached() || allowed.length > 0)
    throw new RunnerUnfit(`this version of Node does not refuse it ${allowed.join(', ') || 'the network'}`);
  return keep(report.subarray(end + 1));
}

async function keep(bytes: Uint8Array): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-sandbox-'));
  try {
    const path = join(folder, 'snapshot');
    await writeFile(path, bytes, { mode: 0o400 });
    return openSync(path, 'r');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
