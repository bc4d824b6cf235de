import { raceSignal } from './abort.ts';
import type { JobPool } from './job-pool.ts';
import { JobError } from './job-thread.ts';
import { Shares } from './shares.ts';

export interface JointJobsOptions<Item, Job, Result, Value> {
  readonly pool: JobPool<Job, Result>;
  readonly toJob: (items: readonly Item[]) => Job;
  /** One for each item, in order. */
  readonly toValues: (result: Result) => readonly Value[];
  readonly sizeOf: (item: Item) => number;
  /** Sizes of a job together; a larger item has one of its own. */
  readonly sizeMax: number;
  /** Only items of one kind share a job; all do by default. */
  readonly kindOf?: (item: Item) => number;
  /** Calls that wait or are under way, half of them of one account; further ones are refused. */
  readonly callsMax: number;
  /** Jobs of one account at a time. Default 1. */
  readonly jobsMax?: number;
}

interface Waiting<Item, Value> {
  readonly item: Item;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
  isGone: boolean;
}

/** What waits of an account, by kind, and how many jobs are made of it. */
interface Line<Item, Value> {
  readonly groups: Map<number, Waiting<Item, Value>[]>;
  jobs: number;
}

/**
 * Jobs that are made when a thread is free for them, of what waits by then: items of several calls of an account share
 * one. An account has as many jobs at a time as it may, and accounts take turns after each.
 */
export class JointJobs<Item, Job, Result, Value> {
  readonly #options: JointJobsOptions<Item, Job, Result, Value>;
  readonly #calls: Shares;
  readonly #lines = new Map<string, Line<Item, Value>>();

  constructor(options: JointJobsOptions<Item, Job, Result, Value>) {
    this.#options = options;
    this.#calls = new Shares(options.callsMax);
  }

  /** A value for each item, in order. Rejects with JobError, and with the signal's reason at once. */
  async run(items: readonly Item[], signal: AbortSignal, account: string): Promise<readonly Value[]> {
    signal.throwIfAborted();
    if (!this.#calls.take(account)) throw new JobError('busy', 'too much waits already');
    const waiting: Waiting<Item, Value>[] = [];
    const values = items.map((item) => {
      const { promise, resolve, reject } = Promise.withResolvers<Value>();
      waiting.push({ item, resolve, reject, isGone: false });
      return promise;
    });
    this.#push(waiting, account);
    try {
      return await raceSignal(Promise.all(values), signal);
    } finally {
      for (const one of waiting) one.isGone = true;
      this.#calls.give(account);
    }
  }

  #push(waiting: readonly Waiting<Item, Value>[], account: string): void {
    if (waiting.length === 0) return;
    const { kindOf = () => 0, jobsMax = 1 } = this.#options;
    const line = this.#lines.get(account) ?? { groups: new Map<number, Waiting<Item, Value>[]>(), jobs: 0 };
    this.#lines.set(account, line);
    for (const one of waiting) {
      const kind = kindOf(one.item);
      const group = line.groups.get(kind);
      if (group === undefined) line.groups.set(kind, [one]);
      else group.push(one);
    }
    for (let more = waiting.length; more > 0 && line.jobs < jobsMax; more--) void this.#work(account, line);
  }

  async #work(account: string, line: Line<Item, Value>): Promise<void> {
    const { pool, toJob, toValues } = this.#options;
    const { groups } = line;
    line.jobs++;
    while (groups.size > 0) {
      let taken: readonly Waiting<Item, Value>[] = [];
      try {
        const result = await pool.runNext(() => {
          taken = this.#take(groups);
          return taken.length === 0 ? null : toJob(taken.map(({ item }) => item));
        }, account);
        const values = result === null ? [] : toValues(result);
        for (const [index, { resolve, reject }] of taken.entries()) {
          const value = values[index];
          if (value === undefined) reject(new JobError('failed', 'an item has no value'));
          else resolve(value);
        }
      } catch (error) {
        // Refused before anything was taken: nothing would be.
        const failed = taken.length > 0 ? taken : [...groups.values()].flat();
        if (taken.length === 0) groups.clear();
        for (const { reject } of failed) reject(error);
      }
    }
    line.jobs--;
    if (line.jobs === 0) this.#lines.delete(account);
  }

  /** Of the kind that was served longest ago. */
  #take(groups: Map<number, Waiting<Item, Value>[]>): readonly Waiting<Item, Value>[] {
    const { sizeOf, sizeMax } = this.#options;
    for (const [kind, all] of groups) {
      groups.delete(kind);
      const group = all.filter(({ isGone }) => !isGone);
      let [count, size] = [0, 0];
      for (const { item } of group) {
        size += sizeOf(item);
        if (count > 0 && size > sizeMax) break;
        count++;
      }
      if (count < group.length) groups.set(kind, group.slice(count));
      if (count > 0) return group.slice(0, count);
    }
    return [];
  }
}
