import { setImmediate } from 'node:timers/promises';
import { Fault } from '../../../../kernel/faults.ts';
import { systemClock, type Clock } from '../../../../kernel/kit/clock.ts';
import { ownAccount } from '../../../../kernel/kit/caller.ts';
import { FairQueue } from '../../../../kernel/kit/fair-queue.ts';

/** The outcome of a step: it did work, or it can do none before another task has moved. */
export type Step = 'worked' | 'blocked';

/** Work in steps; after each step others may come first. `return()` has to free what it holds. */
export type Task<Result> = AsyncGenerator<Step, Result, void>;

/**
 * A model evaluates one thing at a time. So that a long task does not keep out short ones, tasks take turns between
 * evaluations instead of queueing behind each other. The next step is one of the account that has used the least time;
 * tasks of one account go round. Steps differ: a chunk of a prompt takes as long as many words.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #waiting = new FairQueue<Turn>();
  /** Tasks that can do nothing before another one has moved. */
  readonly #blocked = new Set<Turn>();
  /** Time that accounts have used, where it is more than `leastMs`. Unit: ms. */
  readonly #usedMs = new Map<string, number>();
  #leastMs = 0;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Runs a task among the others. Rejects with the signal's reason between steps, and with a Fault once closed. */
  async run<Result>(task: Task<Result>, signal: AbortSignal, account = ownAccount): Promise<Result> {
    signal.throwIfAborted();
    if (this.#closed) throw closing();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const turn: Turn = {
      account,
      async step() {
        const { done, value } = await task.next();
        if (done === true) resolve(value);
        return done === true ? 'over' : value;
      },
      stopReason: () => (signal.aborted ? (signal.reason as unknown) : null),
      async end(reason) {
        reject(reason);
        await task.return(undefined as Result);
      },
    };
    const onAbort = () => this.#drop(turn, signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    for (const [name, ms] of this.#usedMs) if (ms <= this.#leastMs) this.#usedMs.delete(name);
    this.#waiting.push(account, turn);
    this.#running ??= this.#goOn();
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Ends every task and waits for the step that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    const turns = [...this.#waiting.drain(), ...this.#blocked];
    this.#blocked.clear();
    await Promise.all(turns.map((turn) => turn.end(closing())));
    await this.#running;
  }

  async #goOn(): Promise<void> {
    for (;;) {
      const turn = this.#next();
      if (turn !== undefined) {
        await this.#go(turn);
      } else if (this.#blocked.size > 0) {
        await setImmediate();
        this.#unblock();
      } else {
        break;
      }
    }
    this.#usedMs.clear();
    this.#leastMs = 0;
    this.#running = null;
  }

  /** The next task of the account that has used the least; of equal ones, of the one whose turn was longest ago. */
  #next(): Turn | undefined {
    let next: string | undefined;
    for (const account of this.#waiting.accounts())
      if (next === undefined || this.#usedBy(account) < this.#usedBy(next)) next = account;
    if (next === undefined) return undefined;
    this.#leastMs = Math.max(this.#leastMs, this.#usedBy(next));
    return this.#waiting.shift((account) => account === next);
  }

  async #go(turn: Turn): Promise<void> {
    const { account } = turn;
    const startedMs = this.#clock.monotonic();
    const step = await this.#step(turn);
    if (step === 'blocked') {
      this.#blocked.add(turn);
      return;
    }
    this.#usedMs.set(account, this.#usedBy(account) + this.#clock.monotonic() - startedMs);
    const hasBlocked = this.#blocked.size > 0;
    this.#unblock();
    if (step === 'worked') this.#waiting.push(account, turn);
    // Tasks that wait for others must not keep the event loop for themselves.
    if (hasBlocked) await setImmediate();
  }

  /** Ends a task that fails, or whose caller has left. */
  async #step(turn: Turn): Promise<Step | 'over'> {
    try {
      const step = await turn.step();
      const reason = this.#closed ? closing() : turn.stopReason();
      if (step === 'over' || reason === null) return step;
      await turn.end(reason);
    } catch (error) {
      await turn.end(error);
    }
    return 'over';
  }

  #unblock(): void {
    for (const turn of this.#blocked) this.#waiting.push(turn.account, turn);
    this.#blocked.clear();
  }

  /** Never below `leastMs`, so that an account saves up no time while it has no task. Unit: ms. */
  #usedBy(account: string): number {
    return Math.max(this.#leastMs, this.#usedMs.get(account) ?? 0);
  }

  /** Does nothing for the task whose step is under way; that one is ended after the step. */
  #drop(turn: Turn, reason: unknown): void {
    if (this.#waiting.remove(turn.account, turn) || this.#blocked.delete(turn)) void turn.end(reason);
  }
}

interface Turn {
  readonly account: string;
  step(): Promise<Step | 'over'>;
  /** Null to go on. */
  stopReason(): unknown;
  end(reason: unknown): Promise<void>;
}

function closing(): Fault {
  return new Fault('service_unavailable', 'The local model is being closed.');
}
