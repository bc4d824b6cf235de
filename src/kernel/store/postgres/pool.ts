import { setImmediate } from 'node:timers/promises';
import type { Client, Pool, PoolClient } from 'pg';
import { storeClosing, storeCrowded, storeUnavailable } from '../errors.ts';

import { Fault } from '../../faults.ts';
import { PostgresError, toFailure } from './errors.ts';
import { Health } from './health.ts';
import { Lease } from './lease.ts';

interface PoolOptions {
  openPool(): Pool;
  openClient(): Client;
  /** Waiting callers beyond which further ones are refused. */
  readonly waitingMax: number;
}

/**
 * A bounded number of connections, with bounded waiting. While the server is down callers are refused at once; only
 * the probe of `Health` connects.
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

  /** Callers that wait for or hold a connection. */
  get outstanding(): number {
    return this.#outstanding;
  }

  get isUp(): boolean {
    return this.#health.state === 'ok' || this.#health.state === 'suspect';
  }

  /** Rejects with Fault `service_unavailable` when full, closed, or without a server. */
  async lease(): Promise<Lease> {
    if (this.#isClosing) throw storeClosing();
    if (!this.isUp) {
      const cause = new PostgresError('the server is down; it is asked in the background', null, '');
      throw storeUnavailable(cause);
    }
    if (this.#pool.waitingCount >= this.#options.waitingMax) throw storeCrowded('statements');
    this.#outstanding++;
    try {
      const client = await this.#connect();
      return new Lease(client, this.#onEnd, this.#onLoss);
    } catch (error) {
      this.#onEnd();
      // Message of `pg-pool` for a caller that waited in vain for a busy connection.
      if (error instanceof Error && error.message === waitedTooLong) throw storeCrowded('statements');
      throw this.#toUnavailable(error);
    }
  }

  /** The pool forgets waiting callers when it ends, so they are tracked here too. */
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

  /** A tested connection outside the pool, which the caller ends. */
  async connectAlone(): Promise<Client> {
    const client = this.#options.openClient();
    // Keeps a failure while it ends from ending the process.
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
      // After a failover the old server may answer but refuse writes.
      if (rows[0]?.is_off !== 1) throw new Error('the server only reads');
    } finally {
      client.end().catch(() => {});
    }
  }

  /** Refuses new callers, waits for accepted ones, and closes all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Statements of this turn are still on their way through Kysely.
    await setImmediate();
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
    // The end of an idle connection shows the loss of the server.
    pool.on('error', this.#onLoss);
    // A server that is killed may end a session in the packet in which it began, when the pool has taken its listener off
    // and the lease has none yet: an error that nobody hears ends the process.
    pool.on('connect', (client) => client.on('error', this.#onLoss));
    return pool;
  }

  /** Connections to a dead peer look alive; each would cost one caller its time limit. */
  #replacePool(): void {
    const old = this.#pool;
    this.#pool = this.#openPool();
    const gone = new PostgresError('the server is down', null, '');
    for (const reject of this.#waiters) reject(gone);
    this.#waiters.clear();
    old.end().catch(() => {});
  }

  /** Whatever failed, the caller's request is not at fault. */
  #toUnavailable(error: unknown): Error {
    const failure = toFailure(error, 'connect');
    if (failure.isLoss) this.#onLoss();
    if (failure.error instanceof Fault) return failure.error;
    return storeUnavailable(failure.error);
  }

  readonly #onLoss = (): void => this.#health.suspect();

  readonly #onEnd = (): void => {
    this.#outstanding--;
    if (this.#outstanding > 0 || !this.#isClosing) return;
    for (const resolve of this.#drainers.splice(0)) resolve();
  };
}

const waitedTooLong = 'timeout exceeded when trying to connect';
