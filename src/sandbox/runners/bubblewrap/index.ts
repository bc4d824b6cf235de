import { existsSync } from 'node:fs';
import { runChild } from '../../child.ts';
import { toInput } from '../../exchange.ts';
import { toResult } from '../../outcome.ts';
import type { SandboxLimits, SandboxRunner } from '../../runner.ts';
import { supervisor } from './supervisor.ts';

/** "nobody" everywhere; it owns nothing. The cap on processes does not hold for root. */
const nobody = 65_534;

export interface BubblewrapOptions {
  /** Where the kernel does not let a namespace mount one, code runs without /proc. */
  readonly hasProc: boolean;
}

/** Null where a program that this runner needs is not installed. */
export function openBubblewrapRunner({ hasProc }: BubblewrapOptions): SandboxRunner | null {
  const bwrap = find('bwrap');
  const prlimit = find('prlimit');
  const python = find('python3');
  if (bwrap === null || prlimit === null || python === null) return null;
  const uid = process.getuid?.() === 0 ? { uid: nobody } : {};
  return {
    name: 'bubblewrap',
    languages: ['python', 'bash'],
    async run(run, limits, signal) {
      const args = [
        ...toLimits(limits),
        '--',
        bwrap,
        ...toNamespaces(limits, hasProc),
        '--',
        python,
        '-s',
        '-B',
        '-c',
        supervisor,
      ];
      const input = toInput(run, limits);
      return toResult(await runChild({ file: prlimit, args, input, ...uid }, limits, signal), limits);
    },
    close: () => Promise.resolve(),
  };
}

/** Only of the system: what lies elsewhere may be anybody's, and would not be visible inside. */
function find(program: string): string | null {
  return (
    ['/usr/bin', '/bin'].map((folder) => `${folder}/${program}`).find((path) => existsSync(path)) ?? null
  );
}

/** For each process inside. */
function toLimits({ memoryBytesMax, cpuMs, filesBytesMax, processesMax }: SandboxLimits): readonly string[] {
  const cpuS = Math.max(1, Math.ceil(cpuMs / 1_000));
  return [
    `--as=${memoryBytesMax}`,
    // The first is a signal that can be told from others; the second cannot be ignored.
    `--cpu=${cpuS}:${cpuS + 1}`,
    `--fsize=${filesBytesMax}`,
    `--nproc=${processesMax}`,
    '--nofile=256',
    '--core=0',
  ];
}

/** Nothing of the host but its programs, read-only; no network, no environment, no rights, no further namespaces. */
function toNamespaces({ filesBytesMax }: SandboxLimits, hasProc: boolean): readonly string[] {
  const folder = (path: string) => ['--size', String(filesBytesMax), '--tmpfs', path];
  return [
    '--unshare-user',
    '--unshare-all',
    '--disable-userns',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    ...['--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--ro-bind', '/usr/bin', '/usr/bin', '--ro-bind', '/usr/lib', '/usr/lib'],
    ...['--ro-bind-try', '/usr/lib64', '/usr/lib64'],
    ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ...['--dev', '/dev', ...(hasProc ? ['--proc', '/proc'] : [])],
    ...folder('/tmp'),
    ...folder('/work'),
    ...['--chdir', '/work', '--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'HOME', '/work'],
    ...['--setenv', 'LANG', 'C.UTF-8', '--setenv', 'TMPDIR', '/tmp'],
  ];
}
