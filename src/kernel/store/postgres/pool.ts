import type { Client, Pool, PoolClient } from 'pg';

import { Fault } from '../../faults.ts';
import { PostgresError, toFailure } from './errors.ts';
import { Health } from './health.ts';
import { Lease } from './lease.ts';

interface PoolOptions {
  openPool(): Pool;
  /** Not yet connected. */
  openClient(): Client;
  /** Callers that may wait for a connection before further ones are refused. */
  readonly waitingMax: number;
}

/**
 * The connections of this process: a bounded number, with a bounded number of callers that wait a bounded time.
 * While the server is down callers are refused at once, and only the probe of `Health` asks for it.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #health: Health;
  #pool: Pool;
  #outstanding = 0;
  readonly #waiters = new Set<(error: unknown) => void>();
  #isClosing = false;
  #closing: Promise<void> | null = null;
  readonly #drainers: (() => void)[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#health = new Health({
      probe: () => this.#probe(),
      onDown: () => this.#replacePool(),
    });
    this.#pool = this.#openPool();
  }

  /** Callers that wait for a connection or have one. */
  get outstanding(): number {
    return this.#outstanding;
  }

  get isUp(): boolean {
    return this.#health.state === 'ok' || this.#health.state === 'suspect';
  }

  /** Throws Fault `service_unavailable` when full, closed, or without a server. */
  async lease(): Promise<Lease> {
    if (this.#isClosing) throw new Fault('service_unavailable', 'The database is being closed.');
    if (!this.isUp) {
      const cause = new PostgresError('the server is down; it is asked in the background', null, '');
      throw new Fault('service_unavailable', 'The database is not available.', { cause });
    }
    if (this.#pool.waitingCount >= this.#options.waitingMax) throw overloaded();
    this.#outstanding++;
    try {
      const client = await this.#connect();
      return new Lease(client, this.#onEnd, this.#onLoss);
    } catch (error) {
      this.#onEnd();
      // The words of `pg-pool` for a caller that waited for one of the connections, all of which were busy.
      if (error instanceof Error && error.message === waitedTooLong) throw overloaded();
      throw this.#toUnavailable(error);
    }
  }

  /** The pool forgets those who wait when it ends; so that they hear of it at once, they are known here as well. */
  #connect(): Promise<PoolClient> {
    const waiter = Promise.withResolvers<PoolClient>();
    this.#waiters.add(waiter.reject);
    void this.#serve(waiter);
    return waiter.promise;
  }

  async #serve({ resolve, reject }: PromiseWithResolvers<PoolClient>): Promise<void> {
    try {
      const client = await this.#pool.connect();
      if (this.#waiters.delete(reject)) resolve(client);
      else client.release(true);
    } catch (error) {
      this.#waiters.delete(reject);
      reject(error);
    }
  }

  /** A connection outside the pool, for a long-lived user. It has answered once. The caller ends it. */
  async connectAlone(): Promise<Client> {
    const client = this.#options.openClient();
    // Whoever keeps it listens as well; this one keeps a failure while it ends from ending the process.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw toFailure(error, '').error;
    }
  }

  async #probe(): Promise<void> {
    const client = await this.connectAlone();
    try {
      const { rows } = await client.query<{ is_off: number }>(
        `select current_setting('transaction_read_only') = 'off' as is_off`,
      );
      // After a failover the old server may answer, and take nothing.
      if (rows[0]?.is_off !== 1) throw new Error('the server only reads');
    } finally {
      client.end().catch(() => {});
    }
  }

  /** Takes nothing new, waits for what was accepted, and closes all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Statements of this turn of the event loop are still on their way through Kysely.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.#isClosing = true;
    if (this.#outstanding > 0) {
      await new Promise<void>((resolve) => {
        this.#drainers.push(resolve);
      });
    }
    this.#health.close();
    await this.#pool.end();
  }

  #openPool(): Pool {
    const pool = this.#options.openPool();
    // An idle connection that ends is how the loss of the server is noticed when nobody asks.
    pool.on('error', this.#onLoss);
    return pool;
  }

  /** A dead peer may leave connections that look alive; each would cost one caller its time limit. */
  #replacePool(): void {
    const old = this.#pool;
    this.#pool = this.#openPool();
    const gone = new PostgresError('the server is down', null, '');
    for (const reject of this.#waiters) reject(gone);
    this.#waiters.clear();
    old.end().catch(() => {});
  }

  /** Whatever kept us from a connection, the caller's request is not at fault. */
  #toUnavailable(error: unknown): Error {
    const failure = toFailure(error, 'connect');
    if (failure.isLoss) this.#onLoss();
    if (failure.error instanceof Fault) return failure.error;
    return new Fault('service_unavailable', 'The database is not available.', { cause: failure.error });
  }

  readonly #onLoss = (): void => this.#health.suspect();

  readonly #onEnd = (): void => {
    this.#outstanding--;
    if (this.#outstanding > 0 || !this.#isClosing) return;
    for (const resolve of this.#drainers.splice(0)) resolve();
  };
}

const waitedTooLong = 'timeout exceeded when trying to connect';

function overloaded(): Fault {
  return new Fault('service_unavailable', 'Too many statements wait for the database.', {
    retryAfterMs: 1_000,
  });
}
