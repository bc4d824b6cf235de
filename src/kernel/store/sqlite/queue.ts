import { storeClosing, storeCrowded, storeUnavailable } from '../errors.ts';
import type { Fault } from '../../faults.ts';
import type { Message, Outcome, Statement, Step } from './protocol.ts';

export type QueueLimits = Readonly<typeof defaultQueueLimits>;

export const defaultQueueLimits = {
  /** Waiting and running statements beyond which further ones are refused. */
  waitingMax: 10_000,
  /** Statements per message, which bounds the wait for the next. */
  batchMax: 1_000,
  /** Duration of an interactive transaction after which it is rolled back. */
  transactionTimeMaxMs: 30_000,
};

/**
 * An interactive transaction.
 *
 * `waiting`: its `begin` is queued. `open`: owns the store. `ending`: commit or rollback was requested. `expired`:
 * open too long, being rolled back. `lost`: the thread died. `ended`: the store is free. Only `StatementQueue`
 * changes the state.
 */
export interface Transaction {
  state: 'waiting' | 'open' | 'ending' | 'expired' | 'lost' | 'ended';
  readonly entries: Entry[];
  timer: NodeJS.Timeout | undefined;
}

function ignore(): void {}

function isBegin(step: Step): boolean {
  return step === 'begin' || step === 'begin read';
}

interface Entry {
  readonly step: Step;
  /** Null for a single statement. */
  readonly transaction: Transaction | null;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/**
 * Chooses the next message to the storage thread. One message runs at a time; statements that arrive meanwhile form
 * the next and share its commit, so batches grow with load. First come, first served; a transaction takes its turn
 * and then makes the others wait.
 */
export class StatementQueue {
  readonly #send: (message: Message) => Promise<readonly Outcome[]>;
  readonly #limits: QueueLimits;
  readonly #shared: Entry[] = [];
  #turn: Transaction | null = null;
  #underWay: readonly Entry[] = [];
  #isScheduled = false;
  #isClosing = false;
  #broken: Fault | null = null;
  readonly #drainers: (() => void)[] = [];

  constructor(send: (message: Message) => Promise<readonly Outcome[]>, limits: QueueLimits) {
    this.#send = send;
    this.#limits = limits;
  }

  /** Waiting and running statements. */
  get waiting(): number {
    return this.#shared.length + this.#underWay.length + (this.#turn?.entries.length ?? 0);
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }

  /** Resolves once the outcome is durable. Rejects with Fault `service_unavailable` when full, closed or broken. */
  async run(statement: Statement, transaction: Transaction | null): Promise<Outcome> {
    if (transaction === null) this.#refuseNewcomer();
    else if (transaction.state !== 'open') throw this.#toEndedError(transaction);
    this.#refuseOverflow();
    return this.#push(statement, transaction, transaction?.entries ?? this.#shared);
  }

  /** Waits for the turn of a transaction, which then owns the store until `finish`. */
  async begin(
    step: 'begin' | 'begin read' = 'begin',
  ): Promise<{ readonly transaction: Transaction; readonly outcome: Outcome }> {
    this.#refuseNewcomer();
    this.#refuseOverflow();
    const transaction: Transaction = { state: 'waiting', entries: [], timer: undefined };
    const outcome = await this.#push(step, transaction, this.#shared);
    return { transaction, outcome };
  }

  /** Ends a transaction. Rolling back an ended one is no error. */
  async finish(transaction: Transaction, step: 'commit' | 'rollback'): Promise<Outcome> {
    if (transaction.state !== 'open') {
      if (step === 'rollback') return { ok: true, rows: [], changes: 0 };
      throw this.#toEndedError(transaction);
    }
    transaction.state = 'ending';
    return this.#push(step, transaction, transaction.entries);
  }

  /** Refuses new statements and resolves when all accepted ones have their outcome. */
  drain(): Promise<void> {
    this.#isClosing = true;
    return new Promise((resolve) => {
      this.#drainers.push(resolve);
      this.#schedule();
    });
  }

  #push(step: Step, transaction: Transaction | null, entries: Entry[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== null) {
        reject(this.#broken);
        return;
      }
      entries.push({ step, transaction, resolve, reject });
      this.#schedule();
    });
  }

  /** After this turn's I/O, so that all its requests travel together. */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay.length > 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#advance();
    });
  }

  #advance(): void {
    const entries = this.#takeNext();
    if (entries.length === 0) {
      if (this.#turn !== null) return;
      for (const resolve of this.#drainers.splice(0)) resolve();
      return;
    }
    this.#underWay = entries;
    this.#send(this.#toMessage(entries)).then(
      (outcomes) => this.#settle(entries, outcomes),
      (error: unknown) => this.break(error),
    );
  }

  #takeNext(): Entry[] {
    if (this.#turn !== null) return this.#turn.entries.splice(0, this.#limits.batchMax);
    const barrier = this.#shared.findIndex((entry) => isBegin(entry.step));
    if (barrier === 0) {
      this.#turn = this.#shared[0]?.transaction ?? null;
      return this.#shared.splice(0, 1);
    }
    const ready = barrier < 0 ? this.#shared.length : barrier;
    return this.#shared.splice(0, Math.min(ready, this.#limits.batchMax));
  }

  #toMessage(entries: readonly Entry[]): Message {
    const steps = entries.map((entry) => entry.step);
    if (this.#turn !== null) return { kind: 'own', steps };
    return { kind: 'group', statements: steps.filter((step) => typeof step !== 'string') };
  }

  #settle(entries: readonly Entry[], outcomes: readonly Outcome[]): void {
    this.#underWay = [];
    for (const [index, entry] of entries.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) entry.reject(new Error('the storage thread left a statement unanswered'));
      else {
        this.#follow(entry, outcome);
        entry.resolve(outcome);
      }
    }
    this.#schedule();
  }

  /** The only place where a transaction opens and ends. */
  #follow({ step, transaction }: Entry, outcome: Outcome): void {
    if (transaction === null || typeof step !== 'string') return;
    if (isBegin(step) && outcome.ok) {
      transaction.state = 'open';
      transaction.timer = setTimeout(() => this.#expire(transaction), this.#limits.transactionTimeMaxMs);
      transaction.timer.unref();
      return;
    }
    clearTimeout(transaction.timer);
    if (transaction.state !== 'expired') transaction.state = 'ended';
    for (const entry of transaction.entries.splice(0)) entry.reject(this.#toEndedError(transaction));
    this.#turn = null;
  }

  /** A callback that waits for something slow, or for `db` instead of its own transaction, would block all others. */
  #expire(transaction: Transaction): void {
    if (transaction.state !== 'open') return;
    transaction.state = 'expired';
    transaction.entries.push({ step: 'rollback', transaction, resolve: ignore, reject: ignore });
    this.#schedule();
  }

  /**
   * The thread is gone. Running statements may or may not have reached the disk, so they fail without being repeated.
   * Refuses everything until `mend`.
   */
  break(cause: unknown): void {
    const fault = storeUnavailable(cause);
    this.#broken = fault;
    const lost = [...this.#underWay, ...(this.#turn?.entries.splice(0) ?? []), ...this.#shared.splice(0)];
    if (this.#turn !== null) {
      clearTimeout(this.#turn.timer);
      this.#turn.state = 'lost';
    }
    this.#underWay = [];
    this.#turn = null;
    for (const entry of lost) entry.reject(fault);
    for (const resolve of this.#drainers.splice(0)) resolve();
  }

  /** The thread was reopened. */
  mend(): void {
    this.#broken = null;
  }

  #refuseNewcomer(): void {
    if (this.#isClosing) throw storeClosing();
  }

  #refuseOverflow(): void {
    if (this.#broken !== null) throw this.#broken;
    if (this.waiting >= this.#limits.waitingMax) throw storeCrowded('statements');
  }

  #toEndedError(transaction: Transaction): Error {
    if (transaction.state === 'lost') return storeUnavailable(new Error('the storage thread ended'));
    if (transaction.state !== 'expired') return new Error('the transaction has ended');
    const { transactionTimeMaxMs } = this.#limits;
    return new Error(`the transaction was open for more than ${transactionTimeMaxMs} ms and was rolled back`);
  }
}
