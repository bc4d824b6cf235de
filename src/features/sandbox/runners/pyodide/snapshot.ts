import { openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../../child.ts';
import { RunnerUnfit, type Baits, type SandboxLimits } from '../../runner.ts';
import { toCommand } from './command.ts';

/** The interpreter with its library is about 31 MB. */
const limits: SandboxLimits = {
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
export async function makeSnapshot(folder: string, baits: Baits, signal: AbortSignal): Promise<number> {
  const command = toCommand(folder, ['snapshot', baits.file, String(baits.port)], limits);
  const { report, stderr } = await runChild({ ...command, input: new Uint8Array() }, limits, signal);
  const end = report?.indexOf('\n') ?? -1;
  if (report === null || end === -1) throw new RunnerUnfit(`it does not start: ${stderr.trim().slice(-200)}`);
  const allowed = toAllowed(report.subarray(0, end).toString('utf8'));
  if (baits.isReached() || allowed.length > 0)
    throw new RunnerUnfit(`this version of Node does not refuse it ${allowed.join(', ') || 'the network'}`);
  return keep(report.subarray(end + 1));
}

function toAllowed(line: string): readonly string[] {
  const { allowed } = JSON.parse(line) as { readonly allowed: readonly string[] };
  return allowed;
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
