import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

import { Fault } from '../../kernel/faults.ts';
import type { AccountLimits } from '../search/feature.ts';
import type { IndexingContext } from './context.ts';
import { parsePatterns, parsePlace, parseRhythm, toNewSource, type SourcePlace } from './new-source.ts';
import { defaultOptions, type SourceOptions } from './source.ts';
import type { NewSource } from './store/sources.ts';

/** A folder or an address, and when it is read again. A field that is null or absent has its default. */
export interface NewIndexSource extends Partial<{
  [Name in keyof SourceOptions]: SourceOptions[Name] | null;
}> {
  readonly location: string;
  /** Whose searches find it; null or absent for those of all. */
  readonly accountId?: string | null;
  /** `30m`, `12h`, `1d`. */
  readonly every?: string | null;
}

/**
 * Who asks: an account reaches its own sources, the operator those of all. Folders are those of the server, so only the
 * operator names them.
 */
export type IndexOwner = { readonly accountId: string } | 'operator';

/** As the store takes it. Throws a Fault that says what is wrong. */
export async function checkSource(
  context: IndexingContext,
  owner: IndexOwner,
  source: NewIndexSource,
): Promise<Required<NewSource>> {
  const accountId = await toAccountId(context, owner, source.accountId ?? '');
  const place = await toPlace(source.location, owner);
  const options = within(context.limits, accountId, toOptions(source, place));
  const everyMs = toEveryMs(source.every ?? null);
  return toNewSource(place, options, everyMs, context.clock.now(), accountId);
}

async function toAccountId(
  { sources }: Pick<IndexingContext, 'sources'>,
  owner: IndexOwner,
  named: string,
): Promise<string> {
  if (owner !== 'operator') return owner.accountId;
  if (named !== '' && !(await sources.hasAccount(named))) throw new Fault('not_found', 'account not found');
  return named;
}

/** Each is read on its own: so many of them would keep those of others waiting. */
const sourcesPerAccountMax = 100;

export async function refuseMore(
  { sources }: Pick<IndexingContext, 'sources'>,
  accountId: string,
): Promise<void> {
  if (accountId === '' || (await sources.list(accountId)).length < sourcesPerAccountMax) return;
  throw new Fault(
    'storage_quota_exceeded',
    `The index of this account holds at most ${sourcesPerAccountMax} sources. Remove some of them.`,
  );
}

/** Throws Fault `invalid_value`, as the other checks of a new source do. */
async function toPlace(word: string, owner: IndexOwner): Promise<SourcePlace> {
  const place = parsePlace(word, '/');
  if (place.kind === 'web') return place;
  if (owner !== 'operator')
    throw new Fault('invalid_value', 'location must be an http:// or https:// address', {
      param: 'location',
    });
  const isFolder =
    isAbsolute(word) &&
    (await stat(place.location).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (isFolder) return place;
  const wanted =
    'location must be an absolute path of a folder on the server, or an http:// or https:// address';
  throw new Fault('invalid_value', wanted, { param: 'location' });
}

function toOptions(
  { depth, include, exclude, hosts, pagesMax }: NewIndexSource,
  { kind }: SourcePlace,
): SourceOptions {
  const param = hosts ? 'hosts' : 'pages_max';
  if (kind === 'folder' && (hosts || pagesMax))
    throw new Fault('invalid_value', `${param} belongs to addresses`, { param });
  parsePatterns(include ?? [], 'include');
  parsePatterns(exclude ?? [], 'exclude');
  return {
    depth: depth ?? null,
    include: include ?? [],
    exclude: exclude ?? [],
    hosts: hosts ?? [],
    pagesMax: pagesMax ?? defaultOptions.pagesMax,
  };
}

/** Addresses beyond what an account may have would be asked for in vain. */
const within = ({ documentsMax }: AccountLimits, accountId: string, options: SourceOptions): SourceOptions =>
  accountId === ''
    ? options
    : { ...options, pagesMax: Math.min(options.pagesMax, Math.max(1, documentsMax)) };

function toEveryMs(every: string | null): number | null {
  if (every === null) return null;
  const ms = parseRhythm(every);
  if (ms === null)
    throw new Fault('invalid_value', 'every must be a time such as 30m, 12h or 1d', { param: 'every' });
  return ms;
}
