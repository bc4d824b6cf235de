import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { type Token, tokensOf } from '../asked.ts';
import { Cursor } from '../cursor.ts';
import { type Quantity, takeQuantity } from '../quantity.ts';
import type { Found, Structure } from './lookup.ts';
import { isScalar, type Scalar } from './nodes.ts';
import { plain } from './words.ts';

const counting = new Set(['number', 'count', 'many', 'how', 'total', 'different', 'distinct', 'separate']);

/** What a question asks for in a structure: a value, or how many items there are; null where that is unclear. */
export function readValue(tokens: readonly Token[], structure: Structure): Scalar {
  const direct = only(structure.find(tokens));
  if (direct !== null && direct.rest.length === 0 && isScalar(direct.value)) return direct.value;
  return direct !== null && Array.isArray(direct.value) ? countOf(tokens, structure) : null;
}

/** Number of items that the words name: "items", "number of orders", "items that are shipped". */
export function countOf(tokens: readonly Token[], structure: Structure): number | null {
  const found = only(structure.find(tokens.filter(({ text }) => !counting.has(text))));
  if (found === null || !Array.isArray(found.value)) return null;
  const items = found.value as readonly Json[];
  if (found.rest.length === 0) return items.length;
  const asked = plain(found.rest.map(({ text }) => text).join(' '));
  const fitting = items.filter((item) => hasValue(item, asked)).length;
  return fitting === 0 ? null : fitting;
}

function hasValue(item: Json, asked: string): boolean {
  if (typeof item === 'string') return plain(item) === asked;
  return (
    isJsonObject(item) &&
    Object.values(item).some((value) => typeof value === 'string' && plain(value) === asked)
  );
}

/** The quantity at the place that the words name; a currency may stand beside it. */
export function quantityOf(tokens: readonly Token[], structure: Structure): Quantity | null {
  const found = only(structure.find(tokens));
  if (found === null || found.rest.length > 0) return null;
  const { value, parent } = found;
  if (typeof value === 'string') return toQuantity(value);
  if (typeof value !== 'number') return null;
  const beside = parent !== null && isJsonObject(parent.value) ? parent.value['currency'] : undefined;
  return typeof beside === 'string' ? toQuantity(`${value} ${beside}`) : { value, unit: null };
}

/** The quantity that a short text is, such as "€1,200.50" or "5 kg". */
function toQuantity(text: string): Quantity | null {
  const cursor = new Cursor(tokensOf(text.slice(0, 60)));
  const quantity = takeQuantity(cursor);
  return quantity !== null && cursor.isDone ? quantity : null;
}

function only(found: readonly Found[]): Found | null {
  return found.length === 1 ? (found[0] ?? null) : null;
}
