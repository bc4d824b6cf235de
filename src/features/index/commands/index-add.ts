import { statSync } from 'node:fs';

import { parsePatterns, parsePlace, parseRhythm, toNewSource, type SourcePlace } from '../new-source.ts';
import { defaultOptions, sourceId, toSource, type SourceKind, type SourceOptions } from '../source.ts';
import { Fault } from '../../../kernel/faults.ts';
import { docsLocation, switchOnDocs } from '../docs.ts';
import { printJson } from '../../../kernel/commands/print.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { readSources } from './index-refresh.ts';
import type { IndexContext, IndexTools } from '../open-index.ts';

/** Options as they stand on the command line. */
export interface AddOptions {
  readonly depth?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly host?: readonly string[] | undefined;
  readonly pages?: string | undefined;
  readonly every?: string | undefined;
  readonly account?: string | undefined;
}

/**
 * `nestor index add`: notes the source, then reads it. Adding one again changes its options; `nestor:docs` brings Nestor's
 * own pages back.
 */
export function addSource(
  word: string,
  values: AddOptions,
  isJson: boolean,
  context: IndexContext,
): (tools: IndexTools) => Promise<number> {
  if (word === docsLocation)
    return async (tools) => {
      await switchOnDocs(tools);
      if (isJson)
        printJson(context.out, [{ id: sourceId(docsLocation), location: docsLocation, isBusy: false }]);
      else context.out.write("The next start of a server reads Nestor's own pages.\n");
      return exitCodes.done;
    };
  const place = toPlace(word, context.cwd);
  const options = toOptions(values, place.kind);
  const everyMs = values.every === undefined ? null : toMs(values.every);
  return async (tools) => {
    const account = values.account ?? '';
    await refuseUnknown(tools, account);
    const row = await tools.sources.ensure(
      toNewSource(place, options, everyMs, context.clock.now(), account),
    );
    return readSources(tools, [toSource(row)], isJson, context);
  };
}

/** Throws UsageError. */
async function refuseUnknown({ sources }: IndexTools, account: string): Promise<void> {
  if (account !== '' && !(await sources.hasAccount(account)))
    throw new UsageError(`No account "${account}"; nestor accounts ls lists them.`);
}

function toPlace(word: string, cwd: string): SourcePlace {
  const place = refusing(() => parsePlace(word, cwd));
  const { kind, location } = place;
  if (kind === 'folder' && statSync(location, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`${location} is no folder, and no http:// or https:// address.`);
  return place;
}

function refusing<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw error instanceof Fault ? new UsageError(error.message) : error;
  }
}

function toOptions({ depth, include, exclude, host, pages }: AddOptions, kind: SourceKind): SourceOptions {
  if (kind === 'folder' && host !== undefined) throw new UsageError('--host belongs to addresses.');
  if (kind === 'folder' && pages !== undefined) throw new UsageError('--pages belongs to addresses.');
  refusing(() => [parsePatterns(include ?? [], 'include'), parsePatterns(exclude ?? [], 'exclude')]);
  return {
    depth: depth === undefined ? null : toInteger('--depth', depth, 0, 100),
    include: include ?? [],
    exclude: exclude ?? [],
    hosts: host ?? [],
    pagesMax: pages === undefined ? defaultOptions.pagesMax : toInteger('--pages', pages, 1, 1_000_000),
  };
}

function toInteger(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} takes a whole number from ${min} to ${max}.`);
}

function toMs(text: string): number {
  const ms = parseRhythm(text);
  if (ms === null) throw new UsageError('--every takes a time such as 30m, 12h or 1d.');
  return ms;
}
