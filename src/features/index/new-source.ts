import { resolve } from 'node:path';

import { Fault } from '../../kernel/faults.ts';
import { parseGlob, type Glob } from '../../kernel/kit/glob.ts';
import type { NewSource } from './store/sources.ts';
import { sourceId, type SourceKind, type SourceOptions } from './source.ts';

/** A folder or an address that is to be indexed. */
export interface SourcePlace {
  readonly kind: Exclude<SourceKind, 'docs' | 'texts'>;
  /** Absolute path, or address. */
  readonly location: string;
}

/** A path, or an address. Whether anything is there is not looked at. Throws Fault `invalid_value`. */
export function parsePlace(word: string, cwd: string): SourcePlace {
  const refuse = (message: string) => new Fault('invalid_value', message, { param: 'location' });
  if (/^https?:\/\//i.test(word)) {
    const url = URL.parse(word);
    if (url === null || url.username !== '' || url.password !== '')
      throw refuse('That is no address that can be fetched.');
    url.hash = '';
    return { kind: 'web', location: url.href };
  }
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(word)) throw refuse('Only http:// and https:// addresses are fetched.');
  return { kind: 'folder', location: resolve(cwd, word) };
}

/** Throws Fault `invalid_value` for a pattern that is none. `param`: the field that they stand in. */
export function parsePatterns(patterns: readonly string[], param: 'include' | 'exclude'): readonly Glob[] {
  return patterns.map((pattern) => {
    const glob = parseGlob(pattern);
    if (glob !== null) return glob;
    const message = `${param} takes patterns of *, **, ?, [a-z] and {a,b} that stand for at most 100`;
    throw new Fault('invalid_value', message, { param });
  });
}

const units: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
];

/** `30m`, `12h`, `1d` in ms; null for anything else, and for none of them. */
export function parseRhythm(text: string): number | null {
  const { count, unit } = /^(?<count>\d{1,4})(?<unit>[mhd])$/.exec(text)?.groups ?? {};
  const ms = Number(count) * (units.find(([name]) => name === unit)?.[1] ?? 0);
  return ms > 0 ? ms : null;
}

/** The other way: in the largest unit that has no rest. */
export function toRhythm(ms: number): string {
  const [name, size] = units.find(([, unitMs]) => ms % unitMs === 0) ?? ['m', 60_000];
  return `${Math.round(ms / size)}${name}`;
}

/** As the store takes it. */
export function toNewSource(
  { kind, location }: SourcePlace,
  options: SourceOptions,
  everyMs: number | null,
  nowMs: number,
  accountId = '',
): Required<NewSource> {
  return {
    id: sourceId(location, accountId),
    accountId,
    kind,
    location,
    options: JSON.stringify(options),
    everyMs,
    addedAtMs: nowMs,
  };
}
