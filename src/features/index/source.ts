import type { SourceRow } from './store/sources.ts';
import { hashOf } from './to-document.ts';

/** Limits of a source. Patterns are globs over the path below a folder, or over the path of an address. */
export interface SourceOptions {
  /** Links that are followed from the first page, or levels below a folder; null is 0 for addresses, all for folders. */
  readonly depth: number | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Hosts beside the source's own to which links may lead. */
  readonly hosts: readonly string[];
  readonly pagesMax: number;
}

export const defaultOptions: SourceOptions = {
  depth: null,
  include: [],
  exclude: [],
  hosts: [],
  pagesMax: 10_000,
};

/** `texts`: what an account sent itself. */
export type SourceKind = 'folder' | 'web' | 'docs' | 'texts';

export interface Source {
  readonly id: string;
  readonly kind: SourceKind;
  /** Absolute path, or address. */
  readonly location: string;
  readonly options: SourceOptions;
  readonly everyMs: number | null;
  /** Whose searches find it; empty for those of all. */
  readonly accountId: string;
}

/** Outcome of a refresh. Counts are of documents. */
export interface Outcome {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** The same text under another address of the source. */
  readonly duplicates: number;
  readonly failed: number;
  /** Some of what failed, and why in one word. */
  readonly failures: readonly { readonly url: string; readonly reason: string }[];
}

export interface Progress {
  readonly done: number;
  /** As far as it is known. */
  readonly total: number;
  readonly failed: number;
}

/** The same location is the same source of an account, on every store. */
export function sourceId(location: string, accountId = ''): string {
  return accountId === ''
    ? hashOf(location).slice(0, idSigns)
    : hashOf(JSON.stringify([accountId, location])).slice(0, idSignsOfAccount);
}

const idSigns = 12;
/** An account chooses its locations, and must not meet the id of another one's. */
const idSignsOfAccount = 32;

/** Throws a TypeError for a row that no version wrote. */
export function toSource({
  id,
  kind,
  location,
  options,
  everyMs,
  accountId,
}: Pick<SourceRow, 'id' | 'kind' | 'location' | 'options' | 'everyMs' | 'accountId'>): Source {
  if (!isKind(kind)) throw new TypeError(`a source of kind ${kind}`);
  const read = JSON.parse(options) as Partial<SourceOptions>;
  return { id, kind, location, options: { ...defaultOptions, ...read }, everyMs, accountId };
}

const kinds: readonly string[] = ['folder', 'web', 'docs', 'texts'] satisfies readonly SourceKind[];
const isKind = (kind: string): kind is SourceKind => kinds.includes(kind);

/** Counts of a refresh under way. */
export class UsageCounter {
  added = 0;
  changed = 0;
  unchanged = 0;
  removed = 0;
  duplicates = 0;
  failed = 0;
  readonly #failures: { url: string; reason: string }[] = [];

  fail(url: string, reason: string): void {
    this.failed++;
    if (this.#failures.length < failuresMax) this.#failures.push({ url, reason });
  }

  /** Documents looked at so far. */
  get done(): number {
    return this.added + this.changed + this.unchanged + this.duplicates + this.failed;
  }

  toOutcome(): Outcome {
    const { added, changed, unchanged, removed, duplicates, failed } = this;
    return { added, changed, unchanged, removed, duplicates, failed, failures: this.#failures };
  }
}

const failuresMax = 50;
