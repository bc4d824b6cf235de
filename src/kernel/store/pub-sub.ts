import { EventEmitter } from 'node:events';

import type { Database } from './database.ts';
import { openListener } from './postgres/listener.ts';

/** Messages from one server process to all, itself included. A process that is not connected misses them. */
export interface PubSub {
  /** Resolves when the store has taken it. Topic and text together are at most 7,000 bytes. */
  publish(topic: string, text: string): Promise<void>;
  /** Listens to a topic until the function it returns is called. Messages of this process come as well. */
  subscribe(topic: string, listener: (text: string) => void): () => void;
  /** False while messages of other processes may be missed. */
  isConnected(): boolean;
  close(): Promise<void>;
}

interface PubSubOptions {
  /** Called with false when the connection is lost and with true when it is back: what happened between is unknown. */
  readonly onConnection?: (isConnected: boolean) => void;
}

/**
 * Opens publish/subscribe between the processes of a store: LISTEN and NOTIFY on PostgreSQL, on a connection of its own; within this process
 * on SQLite, which is one process's.
 */
export async function openPubSub(
  { postgres }: Pick<Database, 'postgres'>,
  { onConnection = () => {} }: PubSubOptions = {},
): Promise<PubSub> {
  const emitter = new EventEmitter();
  // One listener per subscriber; no number of them would certainly be a leak.
  emitter.setMaxListeners(0);
  const emit = (payload: string): void => {
    const notice = parse(payload);
    if (notice !== null) emitter.emit(toEvent(notice[0]), notice[1]);
  };
  const listener = postgres === null ? null : await openListener(postgres, channel, emit, onConnection);
  let isClosed = false;
  return {
    async publish(topic, text) {
      const payload = JSON.stringify([topic, text]);
      if (Buffer.byteLength(payload) > payloadBytesMax)
        throw new RangeError('a notice is at most 7,000 bytes');
      if (postgres !== null)
        await postgres.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] });
      // Never within the call, as from another process.
      else if (!isClosed) setImmediate(emit, payload);
    },
    subscribe(topic, listen) {
      emitter.on(toEvent(topic), listen);
      return () => emitter.off(toEvent(topic), listen);
    },
    isConnected: () => !isClosed && (listener === null || listener.isConnected()),
    async close() {
      isClosed = true;
      emitter.removeAllListeners();
      await listener?.close();
    },
  };
}

/** Whoever may connect to the database may notify; what is not from a Nestor is nobody's business. */
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

/** PostgreSQL takes 7,999 bytes. */
const payloadBytesMax = 7_000;

/** `error` is an event of its own kind to an EventEmitter. */
function toEvent(topic: string): string {
  return `notice ${topic}`;
}
