import { Fault } from '../../kernel/faults.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Continues the list; null at its end. */
  readonly next: string | null;
}

export interface PageRequest {
  /** From 1 to 1,000. */
  readonly limit?: number | undefined;
  /** `next` of the preceding page. */
  readonly pageToken?: string | undefined;
}

const pageDefault = 100;

/** The fields by which a list is sorted, which name an item, in their order. */
type Order = Readonly<Record<string, 'string' | 'number'>>;
type Cursor<Sorted extends Order> = {
  readonly [Name in keyof Sorted]: Sorted[Name] extends 'number' ? number : string;
};

/**
 * Reads one item more than the page has, so that the last page says that it is the last. `read` continues after the
 * item that a token names. Throws Fault `invalid_value` for a token of another list.
 */
export async function readPage<const Sorted extends Order, Item extends Cursor<Sorted>>(
  { limit = pageDefault, pageToken }: PageRequest,
  order: Sorted,
  read: (bounds: {
    readonly after: Cursor<Sorted> | undefined;
    readonly limit: number;
  }) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const after = pageToken === undefined ? undefined : parseToken(pageToken, order);
  const found = await read({ after, limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (found.length <= limit || last === undefined) return { items, next: null };
  const values = Object.keys(order).map((name) => last[name]);
  return { items, next: Buffer.from(JSON.stringify(values)).toString('base64url') };
}

function parseToken<Sorted extends Order>(token: string, order: Sorted): Cursor<Sorted> {
  try {
    const values: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    const kinds = Object.values(order);
    const isKnown =
      Array.isArray(values) &&
      values.length === kinds.length &&
      kinds.every((kind, at) =>
        kind === 'number' ? Number.isSafeInteger(values[at]) : typeof values[at] === 'string',
      );
    const names = Object.keys(order);
    if (isKnown) return Object.fromEntries(names.map((name, at) => [name, values[at]])) as Cursor<Sorted>;
  } catch {
    // Refused below.
  }
  throw new Fault('invalid_value', 'page_token is not one that this list gave', { param: 'page_token' });
}
