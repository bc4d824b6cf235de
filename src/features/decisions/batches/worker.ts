import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../../kernel/faults.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Batches } from '../store/batches.ts';
import type { BatchTurns, Turn } from '../store/batch-turns.ts';
import { gather, saysLater, type Answered, type OpenAnswerer, type RowResult } from './rows.ts';
import type { Traffic } from './traffic.ts';

export interface BatchWorkerOptions {
  readonly turns: BatchTurns;
  readonly batches: Pick<Batches, 'sweep' | 'expire'>;
  readonly open: OpenAnswerer;
  /** Throws Fault `storage_quota_exceeded` where an account has no room for results. */
  readonly admit: (accountId: string) => Promise<unknown>;
  readonly traffic: Pick<Traffic, 'quiet'>;
  /** Rows that are asked at the same time. */
  readonly parallel: number;
  /** Unique to this process; never reused. */
  readonly owner: string;
  /** True where this process is the only one: what others left is begun again at once. */
  readonly isAlone: boolean;
  readonly clock: Clock;
  /** Time for which an ended batch is kept. */
  readonly retentionMs: number;
  readonly onError: (error: unknown) => void;
  /** Pieces of a process that died are begun again after this. Default 15,000. Unit: ms. */
  readonly leaseMs?: number;
  /** First and longest wait for an engine that is away. Default 1,000 to 60,000. Unit: ms. */
  readonly waits?: { readonly firstMs: number; readonly maxMs: number };
}

/** While one piece is being stored, rows of another are answered. */
const piecesAtOnce = 2;
/** After this no further row of a piece is begun, and another account may be next. */
const turnMs = 1_000;
const turnBytesMax = 1_048_576;
const pollMs = 1_000;
const tidyMs = 600_000;
/** Starts of a piece that did not end, after which its rows are asked one by one. */
const startsOneByOne = 3;
/** Starts after which the row at which they ended is refused: one that takes the process with it must not for ever. */
const startsMax = 6;

/**
 * Answers batches. Accounts take turns of a second or a piece. What a turn came to is stored in one transaction with its
 * rows of the ledger, and only while the piece is this process's: so each row has one result and is billed once.
 */
export class BatchWorker {
  readonly #options: BatchWorkerOptions;
  readonly #held = new Map<Turn, AbortController>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #closing = new AbortController();
  #woken = Promise.withResolvers<void>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: BatchWorkerOptions) {
    this.#options = options;
  }

  begin(): void {
    const { isAlone, turns, owner, onError, leaseMs = 15_000 } = this.#options;
    const every = (ms: number, work: () => unknown) => {
      const run = async (): Promise<unknown> => work();
      this.#timers.push(setInterval(() => void run().catch(onError), ms).unref());
    };
    every(pollMs, () => this.wake());
    every(leaseMs / 3, () => this.#renew(leaseMs));
    every(tidyMs, () => this.tidy());
    const first = isAlone ? turns.abandonOthers(owner).then(() => this.tidy()) : Promise.resolve();
    const lanes = Array.from({ length: piecesAtOnce }, () => first.catch(onError).then(() => this.#work()));
    this.#running = Promise.all(lanes);
  }

  /** Looks for rows. */
  wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }

  async tidy(): Promise<void> {
    const { batches, clock, retentionMs } = this.#options;
    await batches.expire(clock.now(), retentionMs);
    await batches.sweep();
  }

  /** Interrupts what runs and gives it back, as if it had not been begun. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#closing.abort(new Fault('server_stopping'));
    this.wake();
    await this.#running;
  }

  async #work(): Promise<void> {
    const { turns, owner, clock, onError, leaseMs = 15_000 } = this.#options;
    const closing = this.#closing.signal;
    while (!closing.aborted) {
      const woken = this.#woken.promise;
      try {
        const turn = await turns.claim({ owner, leaseMs }, clock.now());
        if (turn === null) await woken;
        else await this.#take(turn);
      } catch (error) {
        onError(error);
        await woken;
      }
    }
  }

  async #take(turn: Turn): Promise<void> {
    const { turns, owner } = this.#options;
    const lost = new AbortController();
    this.#held.set(turn, lost);
    const signal = AbortSignal.any([lost.signal, this.#closing.signal]);
    try {
      const { answered, later } = await this.#ask(turn, signal);
      if (lost.signal.aborted) return;
      const wait = later === null ? undefined : this.#waitFor(turn, later);
      if (answered.piece.lines > 0) await this.#insist(() => this.#store(turn, answered), lost.signal);
      if (answered.piece.lines === 0 || wait !== undefined) await turns.release(turn, owner, wait);
    } catch (error) {
      this.#options.onError(error);
      const wait = this.#waitFor(turn, new Fault('internal'));
      await turns.release(turn, owner, wait).catch(this.#options.onError);
    } finally {
      this.#held.delete(turn);
    }
  }

  /** Asks rows of a piece until it is done or its time is over; `later` is why no further row can be answered now. */
  async #ask(
    turn: Turn,
    signal: AbortSignal,
  ): Promise<{ readonly answered: Answered; readonly later: Fault | null }> {
    const { open, admit, traffic, parallel, clock, onError } = this.#options;
    const { batch, input } = turn;
    const firstLine = input.firstLine + input.done;
    const lines = input.content.split('\n').slice(input.done);
    const results: (RowResult | null | undefined)[] = [];
    const untilMs = clock.monotonic() + turnMs;
    let [next, bytes] = [0, 0];
    let later: Fault | null = null;
    const toLater = (error: unknown): Fault => {
      if (error instanceof Fault) return error;
      onError(error);
      return new Fault('internal');
    };
    try {
      await admit(batch.accountId);
      const answerer = await open(batch);
      const isOneByOne = input.starts > startsOneByOne;
      const ask = (text: string, line: number): Promise<RowResult> | RowResult =>
        input.starts > startsMax
          ? answerer.refuse(text, line, new Fault('internal', 'The server ended each time it was asked this'))
          : answerer.answer(text, line, signal);
      const lane = async (): Promise<void> => {
        const goesOn = () =>
          next === 0 || (clock.monotonic() < untilMs && bytes < turnBytesMax && !isOneByOne);
        while (next < lines.length && later === null && !signal.aborted && goesOn()) {
          const index = next++;
          results[index] = undefined;
          const text = lines[index] ?? '';
          await traffic.quiet();
          try {
            const result = text === '' ? null : await ask(text, firstLine + index);
            results[index] = result;
            bytes += result?.text.length ?? 0;
          } catch (error) {
            later ??= toLater(error);
          }
        }
      };
      const lanes = isOneByOne ? 1 : Math.ceil(parallel / piecesAtOnce);
      await Promise.all(Array.from({ length: lanes }, lane));
    } catch (error) {
      later = toLater(error);
    }
    return { answered: gather(firstLine, results), later: signal.aborted ? null : later };
  }

  async #store(turn: Turn, { piece, answered, failed, usage }: Answered): Promise<void> {
    const { turns, owner, clock, retentionMs } = this.#options;
    const { starts } = turn.input;
    const nowMs = clock.now();
    const startsLeft = starts > startsMax ? startsOneByOne : starts - 1;
    const ended = { nowMs, expiresAtMs: nowMs + retentionMs, startsLeft };
    await turns.store(turn, owner, { piece, answered, failed, usage, ...ended });
  }

  #waitFor({ batch }: Turn, fault: Fault): { readonly ms: number; readonly for: string } {
    const { firstMs, maxMs } = this.#options.waits ?? { firstMs: 1_000, maxMs: 60_000 };
    const grownMs = Math.min(maxMs, firstMs * 2 ** Math.min(batch.waits, 30));
    const ms = Math.max(grownMs, Math.min(maxMs, fault.retryAfterMs ?? 0));
    if (fault.code === 'storage_quota_exceeded') return { ms, for: 'storage' };
    return { ms, for: saysLater(fault) ? 'engine' : 'server' };
  }

  /** A store that is away for a moment must not cost what was answered. After the lease somebody else may have it. */
  async #insist(write: () => Promise<unknown>, lost: AbortSignal): Promise<void> {
    const untilMs = this.#options.clock.monotonic() + (this.#options.leaseMs ?? 15_000);
    for (let waitMs = 50; ; waitMs *= 2) {
      try {
        await write();
        return;
      } catch (error) {
        if (lost.aborted || this.#options.clock.monotonic() + waitMs > untilMs) throw error;
        await pause(waitMs);
      }
    }
  }

  async #renew(leaseMs: number): Promise<void> {
    const { turns, owner } = this.#options;
    for (const [turn, lost] of this.#held) {
      const isOurs = await turns.extend(turn, { owner, leaseMs });
      if (!isOurs) lost.abort(new Fault('service_unavailable', 'lease lost'));
    }
  }
}
