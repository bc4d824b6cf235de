import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What a process holds at one moment. */
export interface Sample {
  readonly seconds: number;
  readonly residentMb: number;
  readonly heapMb: number;
  /** Open descriptors that are neither sockets nor held by the event loops of worker threads. */
  readonly handles: number;
  /** What the event loops of live worker threads hold. */
  readonly threadHandles: number;
  readonly sockets: number;
  readonly threads: number;
  readonly children: number;
  readonly files: number;
  readonly storeMb: number;
  readonly cores: number;
}

export interface Watch {
  sample(): Promise<Sample>;
}

const ticksPerSecond = 100;
/** The event loop of a worker thread has an epoll, an eventfd, an io_uring and both ends of a pipe. */
const handlesPerThread = 5;
/** Threads of Node itself, as the kernel cuts their names; all others are worker threads. */
const ownThreads = /^(?:node-MainThread|node-V8Worker|DelayedTaskSche|SignalInspector|libuv-worker|node)$/;

/** Looks at a process from outside: `/proc`, its metrics and its data folder. */
export function watchProcess(pid: number, metricsUrl: string, dataFolder: string): Watch {
  const startedAt = performance.now();
  let last = { at: startedAt, ticks: NaN };
  return {
    async sample() {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN);
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      const now = performance.now();
      const ticks = Number(fields[11]) + Number(fields[12]);
      const cores = (ticks - last.ticks) / ticksPerSecond / ((now - last.at) / 1_000);
      last = { at: now, ticks };
      const heap = /^nodejs_heap_size_used_bytes (?<bytes>\S+)$/m.exec(await textOf(metricsUrl));
      const { files, bytes } = await sizeOf(dataFolder);
      return {
        seconds: (now - startedAt) / 1_000,
        residentMb: field('VmRSS') / 1_024,
        heapMb: Number(heap?.groups?.['bytes'] ?? NaN) / 1_048_576,
        ...(await descriptorsOf(pid)),
        children: await childrenOf(pid),
        files,
        storeMb: bytes / 1_048_576,
        cores,
      };
    },
  };
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text();
}

export type Descriptors = Pick<Sample, 'handles' | 'threadHandles' | 'sockets' | 'threads'>;

/** A thread that ends gives back what its loop held, so a loop that stays without its thread is among the handles. */
export async function descriptorsOf(pid: number): Promise<Descriptors> {
  const [names, tasks] = await Promise.all([readdir(`/proc/${pid}/fd`), readdir(`/proc/${pid}/task`)]);
  const [targets, threads] = await Promise.all([
    Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => ''))),
    Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/comm`, 'utf8').catch(() => ''))),
  ]);
  const sockets = targets.filter((target) => target.startsWith('socket:')).length;
  const open = targets.filter((target) => target !== '').length;
  const alive = threads.filter((name) => name !== '');
  const threadHandles = handlesPerThread * alive.filter((name) => !ownThreads.test(name.trim())).length;
  return { handles: open - sockets - threadHandles, threadHandles, sockets, threads: alive.length };
}

async function childrenOf(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean)).length;
}

async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

export interface Judgement {
  readonly what: string;
  readonly middle: number;
  readonly last: number;
  readonly isFlat: boolean;
}

/** By share for what breathes, by a count for what does not. */
const allowed = {
  residentMb: { share: 0.1, count: 0 },
  heapMb: { share: 0.1, count: 8 },
  handles: { share: 0, count: 4 },
  sockets: { share: 0.1, count: 8 },
  threads: { share: 0, count: 2 },
  children: { share: 0, count: 2 },
  files: { share: 0, count: 4 },
} as const satisfies Partial<Record<keyof Sample, { share: number; count: number }>>;

/**
 * Whether what a process holds stays where it is: the median of the last third of the samples against that of the middle
 * third. The first third is the warming up.
 */
export function judge(samples: readonly Sample[]): readonly Judgement[] {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  return Object.entries(allowed).map(([name, { share, count }]) => {
    const what = name as keyof typeof allowed;
    const [before, after] = [median(middle.map((one) => one[what])), median(last.map((one) => one[what]))];
    return { what, middle: before, last: after, isFlat: after <= before * (1 + share) + count };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
