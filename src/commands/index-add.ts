import { statSync } from 'node:fs';
import { resolve } from 'node:path';

import { defaultOptions, sourceId, toSource, type SourceKind, type SourceOptions } from '../corpus/source.ts';
import { UsageError } from './eval-parts.ts';
import type { IndexParts, IndexTools } from './index-parts.ts';
import { readSources } from './index-refresh.ts';

/** As they were given. */
export interface AddOptions {
  readonly depth?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly host?: readonly string[] | undefined;
  readonly pages?: string | undefined;
  readonly every?: string | undefined;
}

/** `nestor index add`: notes the source, then reads it. Adding one again changes its options. */
export function addSource(
  word: string,
  given: AddOptions,
  isJson: boolean,
  parts: IndexParts,
): (tools: IndexTools) => Promise<number> {
  const { kind, location } = toLocation(word, parts.cwd);
  const options = toOptions(given, kind);
  const everyMs = given.every === undefined ? null : toMs(given.every);
  return async (tools) => {
    const row = await tools.sources.ensure({
      id: sourceId(location),
      kind,
      location,
      options: JSON.stringify(options),
      everyMs,
      addedAtMs: parts.clock.now(),
    });
    return readSources(tools, [toSource(row)], isJson, parts);
  };
}

function toLocation(word: string, cwd: string): { readonly kind: SourceKind; readonly location: string } {
  if (/^https?:\/\//i.test(word)) {
    const url = URL.parse(word);
    if (url === null || url.username !== '' || url.password !== '')
      throw new UsageError('That is no address that can be fetched.');
    url.hash = '';
    return { kind: 'web', location: url.href };
  }
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(word))
    throw new UsageError('Only http:// and https:// addresses are fetched.');
  const location = resolve(cwd, word);
  if (statSync(location, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`${location} is no folder, and no http:// or https:// address.`);
  return { kind: 'folder', location };
}

function toOptions({ depth, include, exclude, host, pages }: AddOptions, kind: SourceKind): SourceOptions {
  if (kind === 'folder' && host !== undefined) throw new UsageError('--host belongs to addresses.');
  if (kind === 'folder' && pages !== undefined) throw new UsageError('--pages belongs to addresses.');
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

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function toMs(text: string): number {
  const { count, unit } = /^(?<count>\d{1,4})(?<unit>[mhd])$/.exec(text)?.groups ?? {};
  const ms = Number(count) * (unitsMs[unit ?? ''] ?? 0);
  if (ms >= 60_000) return ms;
  throw new UsageError('--every takes a time such as 30m, 12h or 1d.');
}
