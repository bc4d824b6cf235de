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

/** Letters that are units behind words for what they measure. */
const letters: readonly (readonly [form: RegExp, unit: string])[] = [
  [/(?:temp|temperature|limit|max|min)[_ ]?c$/i, 'celsius'],
  [/(?:temp|temperature|limit|max|min)[_ ]?f$/i, 'fahrenheit'],
  [/(?:weight|mass)[_ ]?g$/i, 'g'],
  [/(?:height|length|width|depth|distance)[_ ]?m$/i, 'm'],
  [/(?:duration|wait|waiting|runtime)[_ ]?h$/i, 'hour'],
];

/** The unit that a key ends in, or that of what holds it: `{ "latency_ms": { "p99": 2300 } }`. */
export function unitOfKeys(keys: readonly string[]): string | null {
  for (const key of keys) {
    const unit = keyUnits.get(splitName(key).toLowerCase().split(' ').at(-1) ?? '');
    if (unit !== undefined) return unit;
    const letter = letters.find(([form]) => form.test(key));
    if (letter !== undefined) return letter[1];
    if (/(?:^|[_\s])age$/.test(splitName(key).toLowerCase())) return 'year';
  }
  return null;
}
