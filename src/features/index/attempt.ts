import type { Leftovers, IndexingContext } from './context.ts';
import { Fault } from '../../kernel/faults.ts';
import { attemptsMax, type CorpusAttempts } from './store/attempts.ts';

/**
 * Sets a source aside where the process ended twice at one address of it. Throws Fault `conflict` then, and where it was
 * set aside before.
 */
export async function leftoversOf(
  { attempts, sources }: Pick<IndexingContext, 'attempts' | 'sources'>,
  sourceId: string,
): Promise<Leftovers> {
  const left = await attempts.left(sourceId);
  const fatal = left.find(({ times, isSkipped }) => times >= attemptsMax && !isSkipped);
  if (fatal !== undefined) await attempts.setAside(sourceId, fatal.url);
  if (fatal !== undefined || ((await sources.find(sourceId))?.setAside ?? null) !== null) {
    throw new Fault(
      'conflict',
      'The source is set aside: the process ended twice at one of its addresses. Refresh it by hand to go on without.',
    );
  }
  const urlsOf = (isSkipped: boolean) =>
    new Set(left.filter((one) => one.isSkipped === isSkipped).map(({ url }) => url));
  return { skipped: urlsOf(true), suspects: urlsOf(false) };
}

/** Why a source was set aside. */
export function setAsideReason(url: string): string {
  return `The process ended or hung twice while it read ${url}. Refresh the source to go on without this address.`;
}

/** Runs work, noting the addresses that it reads, so that they are known if the process ends in it. */
export async function attempt<Result>(
  attempts: CorpusAttempts,
  sourceId: string,
  urls: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  await attempts.begin(sourceId, urls);
  try {
    return await work();
  } finally {
    // A store that is away fails the refresh by itself.
    await attempts.end(sourceId, urls).catch(() => {});
  }
}
