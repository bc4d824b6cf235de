import { readdirSync, readFileSync, statfsSync, type StatsFs } from 'node:fs';

/** Resources of a process and its descendants; 0 where the system does not report them. */
export interface Usage {
  /** Resident memory, and that of file systems in memory. */
  readonly memoryBytes: number;
  /** Of all processes that live, and of all that were waited for. */
  readonly cpuMs: number;
  readonly processes: number;
}

/** A file system in memory that exists only inside, by its path there. */
export interface MemoryFolder {
  readonly path: string;
  readonly bytesMax: number;
}

/** Processes looked at; a sandbox has far fewer. */
const processesMax = 1_000;
const tickMs = 10;
const tmpfs = 0x0102_1994;
const pageBytesMax = 65_536;
/** Memory of the kernel for an empty file, about. */
const inodeBytes = 1_024;
/** Capacity of one socket; counted in full, because its fill cannot be read. */
const socketBytes = 212_992;

export function usageOf(pid: number, folders: readonly MemoryFolder[] = []): Usage {
  const pids = treeOf(pid);
  let residentBytes = 0;
  let cpuMs = 0;
  for (const one of pids) {
    residentBytes += residentOf(one);
    cpuMs += cpuOf(one);
  }
  return { memoryBytes: residentBytes + heldIn(pids, folders), cpuMs, processes: pids.length };
}

/** As `usageOf`, with pages that processes share counted once. Slow: the kernel visits every page. */
export function exactMemoryOf(pid: number, folders: readonly MemoryFolder[] = []): number {
  const pids = treeOf(pid);
  return pids.reduce((sum, one) => sum + (shareOf(one) ?? residentOf(one)), heldIn(pids, folders));
}

function treeOf(pid: number): readonly number[] {
  const pids = [pid];
  for (let at = 0; at < pids.length && at < processesMax; at++) pids.push(...childrenOf(pids[at] ?? 0));
  return pids;
}

/** Every thread has children of its own. */
function childrenOf(pid: number): readonly number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(' ')
      .flatMap((text) => (text === '' ? [] : [Number(text)])),
  );
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function residentOf(pid: number): number {
  return kilobytes(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))) ?? 0;
}

function shareOf(pid: number): number | null {
  return kilobytes(/^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`)));
}

function kilobytes(found: RegExpExecArray | null): number | null {
  return found === null ? null : Number(found[1]) * 1_024;
}

/** The name of a process may contain anything; what follows its last bracket is numbers. */
function cpuOf(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  const [user = '0', system = '0', usersBelow = '0', systemBelow = '0'] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return (Number(user) + Number(system) + Number(usersBelow) + Number(systemBelow)) * tickMs;
}

/** Memory that belongs to no process: files in memory, and data that waits in sockets. */
function heldIn([, pid]: readonly number[], folders: readonly MemoryFolder[]): number {
  // The first process below the one that was started has its root where the folders are.
  if (pid === undefined || folders.length === 0) return 0;
  const sockets = Number(/^sockets: used (\d+)$/m.exec(read(`/proc/${pid}/net/sockstat`))?.[1] ?? 0);
  return folders.reduce(
    (sum, folder) => sum + heldInFolder(pid, folder),
    isInside(pid, folders) ? sockets * socketBytes : 0,
  );
}

function isInside(pid: number, folders: readonly MemoryFolder[]): boolean {
  return folders.every((folder) => statOf(pid, folder) !== null);
}

function heldInFolder(pid: number, folder: MemoryFolder): number {
  const stat = statOf(pid, folder);
  return stat === null ? 0 : (stat.blocks - stat.bfree) * stat.bsize + (stat.files - stat.ffree) * inodeBytes;
}

/** Null while a process that starts still sees the folders of the host. */
function statOf(pid: number, { path, bytesMax }: MemoryFolder): StatsFs | null {
  try {
    const stat = statfsSync(`/proc/${pid}/root${path}`);
    return stat.type === tmpfs && stat.blocks * stat.bsize <= bytesMax + pageBytesMax ? stat : null;
  } catch {
    return null;
  }
}

/** A process may be gone at any moment. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
