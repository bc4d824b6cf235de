import { Fault } from '../../../kernel/faults.ts';
import { insist } from '../../../kernel/kit/retry.ts';
import type { Batches } from '../store/batches.ts';
import type { BatchTurns, Turn } from '../store/batch-turns.ts';
import { askRows, type AskOptions } from './asking.ts';
import { RowOrders } from './row-order.ts';
import { saysLater, type Answered } from './rows.ts';
import { isSuspect, startsAfter } from './starts.ts';

export interface BatchWorkerOptions extends AskOptions {
  readonly turns: BatchTurns;
  readonly batches: Pick<Batches, 'sweep' | 'expire'>;
  /** Unique to this process; never reused. */
  readonly owner: string;
  /** True where this process is the only one: what others left is begun again at once. */
  readonly isAlone: boolean;
  /** Time for which an ended batch is kept. */
  readonly retentionMs: number;
  /** Pieces of a process that died are begun again after this. Default 15,000. Unit: ms. */
  readonly leaseMs?: number;
  /** First and longest wait for an engine that is away. Default 1,000 to 60,000. Unit: ms. */
  readonly waits?: { readonly firstMs: number; readonly maxMs: number };
}

const piecesAtOnce = 6;
/** While rows of one are asked, another is being stored, and the next is there when they are through. */
const piecesOfAccount = piecesAtOnce / 2;
const pollMs = 1_000;
const tidyMs = 600_000;
/**
 * Answers batches. Accounts take turns of a second or a piece. What a turn came to is stored in one transaction with its
 * rows of the ledger, and only while the piece is this process's: so each row has one result and is billed once.
 */
export class BatchWorker {
  readonly #options: BatchWorkerOptions;
  readonly #leaseMs: number;
  /** Requests may come before `begin`. */
  readonly #openedAtMs: number;
  readonly #orders = new RowOrders();
  readonly #held = new Map<Turn, AbortController>();
  readonly #taken = new Set<Promise<void>>();
  /** Bytes of results that are being stored. */
  readonly #unstored = new Map<Turn, number>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #closing = new AbortController();
  #woken = Promise.withResolvers<void>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: BatchWorkerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 15_000;
    this.#openedAtMs = options.clock.now();
  }

  begin(): void {
    const { isAlone, turns, owner, onError } = this.#options;
    const every = (ms: number, work: () => unknown) => {
      const run = async (): Promise<unknown> => work();
      this.#timers.push(setInterval(() => void run().catch(onError), ms).unref());
    };
    every(pollMs, () => this.wake());
    every(this.#leaseMs / 3, () => this.#renew());
    every(tidyMs, () => this.tidy());
    const first = isAlone
      ? turns.abandonOthers(owner, this.#openedAtMs).then(() => this.tidy())
      : Promise.resolve();
    this.#running = first.catch(onError).then(() => this.#work());
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
    while (!this.#closing.signal.aborted) {
      const woken = this.#woken.promise;
      const turn = this.#taken.size < piecesAtOnce ? await this.#claim() : null;
      if (turn === null) {
        await woken;
        continue;
      }
      // Beside it no other piece would be blamed for the end of the process.
      const isAlone = isSuspect(turn.input);
      if (isAlone) await Promise.all(this.#taken);
      const taken = this.#take(turn).finally(() => {
        this.#taken.delete(taken);
        this.wake();
      });
      this.#taken.add(taken);
      if (isAlone) await taken;
    }
    await Promise.all(this.#taken);
  }

  async #claim(): Promise<Turn | null> {
    const { turns, owner, clock, onError } = this.#options;
    try {
      return await turns.claim({ owner, leaseMs: this.#leaseMs }, clock.now(), this.#full());
    } catch (error) {
      onError(error);
      return null;
    }
  }

  /** Accounts with half of the pieces: however slow their engines are, there is room for others. */
  #full(): readonly string[] {
    const pieces = new Map<string, number>();
    for (const { batch } of this.#held.keys())
      pieces.set(batch.accountId, (pieces.get(batch.accountId) ?? 0) + 1);
    return [...pieces].flatMap(([account, count]) => (count < piecesOfAccount ? [] : [account]));
  }

  async #take(turn: Turn): Promise<void> {
    const { turns, owner, clock } = this.#options;
    const lost = new AbortController();
    this.#held.set(turn, lost);
    const signal = AbortSignal.any([lost.signal, this.#closing.signal]);
    const { order, leave } = this.#orders.enter(turn.batch);
    try {
      const { answered, later } = await askRows(turn, order, signal, {
        ...this.#options,
        unstored: (account) => this.#unstoredOf(account),
      });
      if (lost.signal.aborted) return;
      this.#unstored.set(turn, answered.piece.content.length);
      const wait = later === null ? undefined : this.#waitFor(turn, later);
      // After the lease somebody else may have the piece.
      const bounds = { clock, forMs: this.#leaseMs, signal: lost.signal };
      if (answered.piece.lines > 0) await insist(() => this.#store(turn, answered), bounds);
      if (answered.piece.lines === 0 || wait !== undefined) await turns.release(turn, owner, wait);
    } catch (error) {
      this.#options.onError(error);
      const wait = this.#waitFor(turn, new Fault('internal'));
      await turns.release(turn, owner, wait).catch(this.#options.onError);
    } finally {
      leave();
      this.#held.delete(turn);
      this.#unstored.delete(turn);
    }
  }

  #unstoredOf(account: string): number {
    const own = [...this.#unstored].filter(([{ batch }]) => batch.accountId === account);
    return own.reduce((sum, [, bytes]) => sum + bytes, 0);
  }

  async #store(turn: Turn, { piece, answered, failed, usage }: Answered): Promise<void> {
    const { turns, owner, clock, retentionMs } = this.#options;
    const nowMs = clock.now();
    const startsLeft = startsAfter(turn.input);
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

  async #renew(): Promise<void> {
    const { turns, owner } = this.#options;
    for (const [turn, lost] of this.#held) {
      const isOurs = await turns.extend(turn, { owner, leaseMs: this.#leaseMs });
      if (!isOurs) lost.abort(new Fault('service_unavailable', 'lease lost'));
    }
  }
}
