import { splitName } from '../../../../kernel/kit/words.ts';
import type { Token } from '../asked.ts';
import { Cursor } from '../cursor.ts';
import { keyUnits, type Quantity, takeQuantity } from '../quantity.ts';

/** The quantity that tokens are and nothing else, such as "€1,200.50" or "5 kg". */
export function toQuantity(tokens: readonly Token[]): Quantity | null {
  const cursor = new Cursor(tokens);
  const quantity = takeQuantity(cursor);
  return quantity !== null && cursor.isDone ? quantity : null;
}

/** The unit that a key ends in, or that of what holds it: `{ "latency_ms": { "p99": 2300 } }`. */
export function unitOfKeys(keys: readonly string[]): string | null {
  for (const key of keys) {
    const unit = keyUnits.get(splitName(key).toLowerCase().split(' ').at(-1) ?? '');
    if (unit !== undefined) return unit;
    if (/(?:^|[_\s])age$/.test(splitName(key).toLowerCase())) return 'year';
  }
  return null;
}
