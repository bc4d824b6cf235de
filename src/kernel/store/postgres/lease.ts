import type { PoolClient, QueryResult } from 'pg';

import { toValue } from '../value.ts';
import { toFailure } from './errors.ts';

export interface PostgresStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Prepares the statement once per connection; one text per name, for ever. */
  readonly name?: string;
}

/** A borrowed connection. */
export class Lease {
  readonly #client: PoolClient;
  readonly #onEnd: () => void;
  readonly #onLoss: () => void;
  #isBroken = false;
  #isReleased = false;
  #afterRelease: (() => void) | null = null;

  /** `onEnd` is called once, on release; `onLoss` when the server seems to be gone. */
  constructor(client: PoolClient, onEnd: () => void, onLoss: () => void) {
    this.#client = client;
    this.#onEnd = onEnd;
    this.#onLoss = onLoss;
    // A session may end between two statements; without a listener that would end the process.
    client.on('error', this.#onError);
  }

  async query({ text, values, name }: PostgresStatement): Promise<QueryResult> {
    const statement = { text, values: values.map((value) => toParameter(value)) };
    try {
      return await this.#client.query(name === undefined ? statement : { ...statement, name });
    } catch (error) {
      const failure = toFailure(error, text);
      if (failure.isBroken) this.#isBroken = true;
      if (failure.isLoss) this.#onLoss();
      throw failure.error;
    }
  }

  onRelease(listener: () => void): void {
    this.#afterRelease = listener;
  }

  /** Returns the connection; a broken one, or one in an unknown state, is closed. */
  release(isUnusable = false): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.removeListener('error', this.#onError);
    this.#client.release(this.#isBroken || isUnusable);
    this.#onEnd();
    this.#afterRelease?.();
  }

  readonly #onError = (): void => {
    this.#isBroken = true;
    this.#onLoss();
  };
}

/** Kysely sends booleans when it looks for tables; integer columns refuse them. */
function toParameter(value: unknown): unknown {
  return typeof value === 'boolean' ? String(value) : toValue(value);
}
