import { createSigner } from './signer.ts';

export interface TokenPage<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextToken: string | null;
}

/** Places in lists that are read from the newest to the oldest, as tokens that only this store's servers make. */
export interface PageTokens {
  /** The ordinal behind a token that was given for this scope; null for any other. */
  read(scope: string, token: string): number | null;
  /** A page out of `limit + 1` items, or fewer at the end. */
  toPage<Item>(
    scope: string,
    found: readonly Item[],
    limit: number,
    ordinalOf: (item: Item) => number,
  ): TokenPage<Item>;
}

/** `list` names the list, `scope` whose it is: a token opens nothing else. */
export function createPageTokens(secret: string, list: string): PageTokens {
  const signer = createSigner(secret);
  const textOf = (scope: string, ordinal: string) => `${list}\n${scope}\n${ordinal}`;
  return {
    read(scope, token) {
      const [ordinal = '', signature = ''] = token.split('.');
      const isWhole = /^\d{1,15}$/.test(ordinal) && token === `${ordinal}.${signature}`;
      return isWhole && signer.verify(textOf(scope, ordinal), signature) ? Number(ordinal) : null;
    },
    toPage(scope, found, limit, ordinalOf) {
      const items = found.slice(0, limit);
      const last = items.at(-1);
      if (found.length <= limit || last === undefined) return { items, nextToken: null };
      const ordinal = String(ordinalOf(last));
      return { items, nextToken: `${ordinal}.${signer.sign(textOf(scope, ordinal))}` };
    },
  };
}
