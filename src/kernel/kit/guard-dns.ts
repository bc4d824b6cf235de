import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { errorCode } from './errors.ts';

/** Resolves a name to all its addresses. Rejects when there is none. */
export type HostLookup = (host: string, allowed: boolean) => Promise<readonly string[]>;

const triesMax = 2;

/**
 * Uses c-ares, which waits outside the thread pool: with getaddrinfo four names on a silent name server would stall
 * all file I/O and decompression. Allowed names, and all names where no name server is configured, go to the system
 * resolver, since they may stand in its hosts file only.
 */
export function createHostLookup(timeoutMs: number): HostLookup {
  const resolver = new Resolver({ timeout: timeoutMs / triesMax, tries: triesMax });
  return async (host, allowed) => {
    if (allowed) return bySystem(host);
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const errors: unknown[] = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as unknown] : [],
    );
    if (errors.some((error) => errorCode(error) === 'ECONNREFUSED')) {
      return bySystem(host);
    }
    throw new Error('no address', { cause: errors[0] });
  };
}

async function bySystem(host: string): Promise<readonly string[]> {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address }) => address);
}
