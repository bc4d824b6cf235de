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

type Cursor = readonly (string | number)[];

/**
 * Reads one item more than the page has, so that the last page says that it is the last. `toCursor` names an item,
 * and `read` continues after the one that was named. Throws Fault `invalid_value` for a token of another list.
 */
export async function readPage<Item>(
  { limit = pageDefault, pageToken }: PageRequest,
  shape: readonly ('string' | 'number')[],
  toCursor: (item: Item, index: number) => Cursor,
  read: (after: Cursor | undefined, limit: number) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const found = await read(pageToken === undefined ? undefined : parseCursor(pageToken, shape), limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (found.length <= limit || last === undefined) return { items, next: null };
  return { items, next: Buffer.from(JSON.stringify(toCursor(last, limit))).toString('base64url') };
}

function parseCursor(token: string, shape: readonly ('string' | 'number')[]): Cursor {
  try {
    const cursor: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (isCursor(cursor, shape)) return cursor;
  } catch {
    // Refused below.
  }
  throw new Fault('invalid_value', 'page_token is not one that this list gave', { param: 'page_token' });
}

function isCursor(value: unknown, shape: readonly ('string' | 'number')[]): value is Cursor {
  return (
    Array.isArray(value) &&
    value.length === shape.length &&
    shape.every((kind, index) =>
      kind === 'number' ? Number.isSafeInteger(value[index]) : typeof value[index] === 'string',
    )
  );
}
