import { createSigner } from './signer.ts';

export interface TokenPage<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextToken: string | null;
}

/** Signed tokens for positions in lists that are read from newest to oldest. */
export type PageTokens = ReturnType<typeof createPageTokens>;

/** A token is valid for its `list` and `scope` (whose list it is) only. */
export function createPageTokens(secret: string, list: string) {
  const signer = createSigner(secret);
  const textOf = (scope: string, ordinal: string) => `${list}\n${scope}\n${ordinal}`;
  return {
    /** The ordinal of a token given for this scope; null for any other. */
    read(scope: string, token: string): number | null {
      const [ordinal = '', signature = ''] = token.split('.');
      const isWhole = /^\d{1,15}$/.test(ordinal) && token === `${ordinal}.${signature}`;
      return isWhole && signer.verify(textOf(scope, ordinal), signature) ? Number(ordinal) : null;
    },
    /** Builds a page from up to `limit + 1` items. */
    toPage<Item>(
      scope: string,
      found: readonly Item[],
      limit: number,
      ordinalOf: (item: Item) => number,
    ): TokenPage<Item> {
      const items = found.slice(0, limit);
      const last = items.at(-1);
      if (found.length <= limit || last === undefined) return { items, nextToken: null };
      const ordinal = String(ordinalOf(last));
      return { items, nextToken: `${ordinal}.${signer.sign(textOf(scope, ordinal))}` };
    },
  };
}
