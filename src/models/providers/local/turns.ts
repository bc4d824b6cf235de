import { setImmediate } from 'node:timers/promises';
import { Fault } from '../../../faults.ts';

/** What a step tells: it did work, or it can do none before another task has moved. */
export type Step = 'worked' | 'blocked';

/** Work in steps; after each step others may come first. `return()` has to free what it holds. */
export type Task<Result> = AsyncGenerator<Step, Result, void>;

/**
 * A model evaluates one thing at a time. Whoever asks for much must not keep out who asks for little, so tasks take
 * turns between evaluations instead of queueing behind each other: one step each, round and round.
 */
export class Turns {
  readonly #waiting: Turn[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  /**
   * Runs a task among the others. Rejects with the signal's reason as soon as the task is not inside a step, and
   * with Fault `service_unavailable` when closed.
   */
  async run<Result>(task: Task<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.#closed) throw closing();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const turn: Turn = {
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
    this.#waiting.push(turn);
    this.#running ??= this.#goRound();
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Ends every task and waits for the step that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#waiting.splice(0).map((turn) => turn.end(closing())));
    await this.#running;
  }

  async #goRound(): Promise<void> {
    for (let turn = this.#waiting.shift(); turn !== undefined; turn = this.#waiting.shift()) {
      await this.#go(turn);
    }
    this.#running = null;
  }

  async #go(turn: Turn): Promise<void> {
    try {
      const step = await turn.step();
      // A task that waits for another must not keep the event loop for itself.
      if (step === 'blocked') await setImmediate();
      if (step === 'over') return;
      const reason = this.#closed ? closing() : turn.stopReason();
      if (reason === null) this.#waiting.push(turn);
      else await turn.end(reason);
    } catch (error) {
      await turn.end(error);
    }
  }

  /** Does nothing for the task whose step is under way; that one is ended after the step. */
  #drop(turn: Turn, reason: unknown): void {
    const at = this.#waiting.indexOf(turn);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    void turn.end(reason);
  }
}

interface Turn {
  step(): Promise<Step | 'over'>;
  /** Null to go on. */
  stopReason(): unknown;
  end(reason: unknown): Promise<void>;
}

function closing(): Fault {
  return new Fault('service_unavailable', 'The local model is being closed.');
}
