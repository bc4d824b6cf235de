import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';

import type { PostgresAccess } from './open-postgres.ts';

const pauseMinMs = 50;
const pauseMaxMs = 2_000;
/** An idle connection may die silently, as when a router forgets it. */
const checkEveryMs = 15_000;

/**
 * Listens to one channel until closed, reconnecting for ever with growing pauses. Rejects when the first connection
 * fails.
 */
export async function openListener(
  postgres: PostgresAccess,
  channel: string,
  onNotice: (payload: string) => void,
  onConnection: (isConnected: boolean) => void,
) {
  const closing = new AbortController();
  let client: Client | null = null;

  async function connect(): Promise<Client> {
    const fresh = await postgres.connect();
    const lost = Promise.withResolvers<void>();
    fresh.on('notification', ({ payload }) => onNotice(payload ?? ''));
    fresh.on('error', () => lost.resolve());
    fresh.on('end', () => lost.resolve());
    try {
      await fresh.query(`listen "${channel}"`);
    } catch (error) {
      fresh.end().catch(() => {});
      throw error;
    }
    client = fresh;
    void watch(fresh, lost);
    return fresh;
  }

  async function watch(watched: Client, lost: PromiseWithResolvers<void>): Promise<void> {
    const check = setInterval(() => {
      watched.query('select 1').catch(() => lost.resolve());
    }, checkEveryMs);
    check.unref();
    await lost.promise;
    clearInterval(check);
    client = null;
    watched.end().catch(() => {});
    if (!closing.signal.aborted) await reconnect();
  }

  async function reconnect(): Promise<void> {
    onConnection(false);
    for (let pauseMs = pauseMinMs; !closing.signal.aborted; pauseMs = Math.min(pauseMaxMs, pauseMs * 2)) {
      try {
        const fresh = await connect();
        // Closed meanwhile: nothing else would end it.
        if (closing.signal.aborted) await fresh.end();
        else onConnection(true);
        return;
      } catch {
        // Many processes lost it at once and should not return at once.
        const jittered = pauseMs * (0.5 + Math.random() / 2);
        await pause(jittered, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      }
    }
  }

  await connect();
  return {
    isConnected: () => client !== null,
    async close(): Promise<void> {
      closing.abort();
      await client?.end();
    },
  };
}
