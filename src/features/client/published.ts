import type { PublishedApi } from './api.ts';
import { openClient } from './open-client.ts';

/** The operations of this server as its own clients reach them. */
interface Published {
  /** As the owner of a key: the same credentials, limits, checks and metering as from outside. */
  withKey(key: string): PublishedApi;
  /** Tells where this server listens. */
  at(url: string): void;
  close(): Promise<void>;
}

/** As many calls as MCP clients may have under way at once; who finds no connection waits. */
const connectionsMax = 256;

/** Calls made before the server listens fail as those to a server that cannot be reached. */
export function openPublished(): Published {
  let url = 'http://127.0.0.1:1';
  const client = openClient({ url: () => url, key: null, connectionsMax });
  return {
    withKey: client.withKey,
    at(address) {
      url = address;
    },
    close: client.close,
  };
}
