import { EventEmitter } from 'node:events';

import type { Database } from './database.ts';
import { openListener } from './postgres/listener.ts';

/** Messages from one server process to all, itself included. A disconnected process misses them. */
export type PubSub = Awaited<ReturnType<typeof openPubSub>>;

interface PubSubOptions {
  /** Called with false when the connection is lost and true when it is back; messages between are lost. */
  readonly onConnection?: (isConnected: boolean) => void;
}

/**
 * Opens publish/subscribe between the processes of a store: LISTEN and NOTIFY on PostgreSQL, within this process on
 * SQLite.
 */
export async function openPubSub(
  { postgres }: Pick<Database, 'postgres'>,
  { onConnection = () => {} }: PubSubOptions = {},
) {
  const emitter = new EventEmitter();
  // Any number of subscribers is legitimate.
  emitter.setMaxListeners(0);
  const emit = (payload: string): void => {
    const notice = parse(payload);
    if (notice !== null) emitter.emit(toEvent(notice[0]), notice[1]);
  };
  const listener = postgres === null ? null : await openListener(postgres, channel, emit, onConnection);
  let isClosed = false;
  return {
    /** Topic and text together are at most 7,000 bytes. */
    async publish(topic: string, text: string): Promise<void> {
      const payload = JSON.stringify([topic, text]);
      if (Buffer.byteLength(payload) > payloadBytesMax)
        throw new RangeError('a notice is at most 7,000 bytes');
      if (postgres !== null)
        await postgres.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] });
      // Asynchronous, as from another process.
      else if (!isClosed) setImmediate(emit, payload);
    },
    /** Returns a function that unsubscribes. Own messages arrive as well. */
    subscribe(topic: string, listen: (text: string) => void): () => void {
      emitter.on(toEvent(topic), listen);
      return () => emitter.off(toEvent(topic), listen);
    },
    /** False while messages of other processes may be missed. */
    isConnected: (): boolean => !isClosed && (listener === null || listener.isConnected()),
    async close(): Promise<void> {
      isClosed = true;
      emitter.removeAllListeners();
      await listener?.close();
    },
  };
}

/** Null for payloads of other programs, which may notify on the same channel. */
function parse(payload: string): readonly [topic: string, text: string] | null {
  try {
    const notice: unknown = JSON.parse(payload);
    if (!Array.isArray(notice)) return null;
    const [topic, text] = notice as readonly unknown[];
    return typeof topic === 'string' && typeof text === 'string' ? [topic, text] : null;
  } catch {
    return null;
  }
}

const channel = 'nestor';

/** PostgreSQL allows 7,999 bytes. */
const payloadBytesMax = 7_000;

/** EventEmitter treats `error` specially. */
function toEvent(topic: string): string {
  return `notice ${topic}`;
}
