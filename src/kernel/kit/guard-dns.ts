import { lookup as systemLookup, Resolver } from 'node:dns/promises';

/** Every address that a name stands for. Rejects when it stands for none. */
export type HostLookup = (host: string, allowed: boolean) => Promise<readonly string[]>;

const triesMax = 2;

/**
 * Looks names up with the resolver of the runtime, which waits outside the thread pool: the system's own waits
 * inside, and four names with a silent name server would stall every file and every decompression of the process.
 * Names that the operator allowed are looked up by the system, because they may stand in its hosts file only; so
 * is every name where no name server is configured.
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
    if (errors.some((error) => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) {
      return bySystem(host);
    }
    throw new Error('no address', { cause: errors[0] });
  };
}

async function bySystem(host: string): Promise<readonly string[]> {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address }) => address);
}
