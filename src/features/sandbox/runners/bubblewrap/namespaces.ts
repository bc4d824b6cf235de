import { existsSync, lstatSync } from 'node:fs';
import type { SandboxLimits } from '../../runner.ts';
import type { MemoryFolder } from '../../usage.ts';

/** What not every system has; a probe finds out. */
export interface Features {
  /** Some kernels and containers do not let a namespace mount its own. Code runs without /proc there. */
  readonly hasProc: boolean;
  /** Versions before 0.8 cannot switch off further user namespaces; the filter of system calls does all the same. */
  readonly canDisableUserns: boolean;
}

/** What the filter of system calls is read from. */
const filterDescriptor = 4;

/** Folders in memory; each has a size of its own. */
export function toMemoryFolders({ filesBytesMax }: SandboxLimits): readonly MemoryFolder[] {
  return ['/work', '/tmp', '/dev/shm'].map((path) => ({ path, bytesMax: filesBytesMax }));
}

/** Nothing of the host but its programs, read-only; no network, no environment, no rights, no further namespaces. */
export function toNamespaces(
  limits: SandboxLimits,
  python: string,
  { hasProc, canDisableUserns }: Features,
  hasFilter: boolean,
): readonly string[] {
  const local = python.startsWith('/usr/local/');
  return [
    '--unshare-user',
    '--unshare-all',
    ...(canDisableUserns ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    ...option('--cap-drop', 'ALL'),
    ...option('--hostname', 'sandbox'),
    ...readOnly('/usr/bin', '/usr/lib', '/usr/lib64', '/usr/share/zoneinfo', '/etc/alternatives'),
    ...(local ? readOnly('/usr/local/bin', '/usr/local/lib') : []),
    ...['/bin', '/lib', '/lib64'].flatMap(toSystemFolder),
    ...option('--dev', '/dev'),
    ...(hasProc ? option('--proc', '/proc') : []),
    ...toMemoryFolders(limits).flatMap(({ path, bytesMax }) => ['--size', String(bytesMax), '--tmpfs', path]),
    // Both are file systems in memory without a size.
    ...option('--remount-ro', '/dev'),
    ...option('--remount-ro', '/'),
    ...(hasFilter ? option('--seccomp', String(filterDescriptor)) : []),
    ...option('--chdir', '/work'),
    ...environment(local),
  ];
}

function option(name: string, value: string): readonly string[] {
  return [name, value];
}

function environment(local: boolean): readonly string[] {
  const values: Readonly<Record<string, string>> = {
    PATH: local ? '/usr/local/bin:/usr/bin:/bin' : '/usr/bin:/bin',
    HOME: '/work',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    PYTHONPATH: '/work',
    // One thread for each core, with memory for each, would go over the limits of one run on large machines.
    OPENBLAS_NUM_THREADS: '1',
    ...(local ? { LD_LIBRARY_PATH: '/usr/local/lib' } : {}),
  };
  return Object.entries(values).flatMap(([name, value]) => ['--setenv', name, value]);
}

function readOnly(...paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => (existsSync(path) ? ['--ro-bind', path, path] : []));
}

/** A link into /usr on most systems, a folder of its own on some. */
function toSystemFolder(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', `usr${path}`, path] : ['--ro-bind', path, path];
}
