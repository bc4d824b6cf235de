import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleBeside } from '../../../../kernel/kit/beside.ts';
import { findProgram, unprivileged } from '../../child.ts';
import { RunnerUnfit, type SandboxLimits } from '../../runner.ts';

const pathOf = (name: string): string => realpathSync(fileURLToPath(moduleBeside(name, import.meta.url)));
const guest = pathOf('guest');
/** Everything that the process may read, beside the package. */
const ownFiles = [guest, ...['driver', 'lock-down', '../../python-files'].map(pathOf)];

const wasmPageBytes = 65_536;
/** Of the memory limit, for Node and for what it keeps of the interpreter outside of its memory. */
const besideBytes = 201_326_592;
const memoryBytesMin = 67_108_864;
const heapMegabytesMax = 192;

/** The folder of the package. Throws `RunnerUnfit` where it is not installed. */
export function findPackage(): string {
  try {
    return realpathSync(dirname(fileURLToPath(import.meta.resolve('pyodide/package.json'))));
  } catch {
    throw new RunnerUnfit('the package pyodide is not installed');
  }
}

interface GuestCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly processesBeside: number;
}

/** A process of Node that may read the package and nothing else, under limits of the system where it has them. */
export function toCommand(folder: string, words: readonly string[], limits: SandboxLimits): GuestCommand {
  const node = [
    process.execPath,
    '--permission',
    ...[folder + sep, ...ownFiles].map((path) => `--allow-fs-read=${path}`),
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    `--max-old-space-size=${heapMegabytesMax}`,
    `--wasm-max-mem-pages=${toPages(limits)}`,
    guest,
    ...words,
  ];
  const [file = '', ...args] = [...toSystemLimits(limits), ...node];
  return { file, args, ...unprivileged, processesBeside: 1 };
}

function toPages({ memoryBytesMax }: SandboxLimits): number {
  return Math.floor(Math.max(memoryBytesMin, memoryBytesMax - besideBytes) / wasmPageBytes);
}

/** Not every system has these; the watch over the process ends what they would have ended, a little later. */
function toSystemLimits({ cpuMs }: SandboxLimits): readonly string[] {
  const setpriv = findProgram('setpriv');
  const prlimit = findProgram('prlimit');
  const cpuS = Math.max(1, Math.ceil(cpuMs / 1_000));
  return [
    // It must not outlive a server that is killed.
    ...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--']),
    // It writes to pipes only.
    ...(prlimit === null
      ? []
      : [prlimit, `--cpu=${cpuS}:${cpuS + 1}`, '--fsize=0', '--nofile=64', '--core=0', '--']),
  ];
}
