import type { Token } from '../asked.ts';
import { isCurrency, isPeriod, type Quantity, valueIn } from '../quantity.ts';
import type { Range } from '../range.ts';
import { quantityAt } from './amounts.ts';
import { ageAt } from './clock.ts';
import type { Structure } from './lookup.ts';
import type { Node } from './nodes.ts';
import { certaintyOfSubject, keyText, onlyOne } from './subjects.ts';

/** What words ask for a figure, under which keys it stands, and in which units. */
interface Kind {
  readonly words: ReadonlySet<string>;
  readonly keys: RegExp;
  readonly fits: (unit: string | null) => boolean;
}

const weights = new Set(['g', 'kg', 't', 'lb', 'pound']);
const lengths = new Set(['mm', 'cm', 'm', 'km', 'mile']);
const sizes = new Set(['B', 'KB', 'MB', 'GB', 'TB']);
const scales = new Set(['degree', 'celsius', 'fahrenheit']);

const kinds: readonly Kind[] = [
  {
    words: 'cost costs costing priced expensive cheap cheaper pay paid',
    keys: /\b(?:price|cost|costs|amount|total|fee|fare|rent)\b/,
    fits: (unit: string | null) => unit === null || isCurrency(unit),
  },
  {
    words: 'take takes took taken last lasts lasted longer shorter long',
    keys: /latency|duration|elapsed|runtime|took|\b(?:run|response|wall) time\b/,
    fits: (unit: string | null) => unit === 'ms' || isPeriod(unit),
  },
  { words: 'old older younger aged', keys: /\bage\b/, fits: (unit: string | null) => unit === 'year' },
  {
    words: 'heavier lighter weigh weighs weighed heavy',
    keys: /weight|mass/,
    fits: (unit: string | null) => weights.has(unit ?? ''),
  },
  {
    words: 'warmer hotter colder cooler warm hot cold',
    keys: /temp|celsius|fahrenheit/,
    fits: (unit: string | null) => scales.has(unit ?? ''),
  },
  {
    words: 'taller tall high',
    keys: /height/,
    fits: (unit: string | null) => lengths.has(unit ?? ''),
  },
  {
    words: 'larger bigger smaller big large',
    keys: /size|bytes/,
    fits: (unit: string | null) => sizes.has(unit ?? ''),
  },
].map((kind) => ({ ...kind, words: new Set(kind.words.split(' ')) }));

/** What may or should be is no figure of what is: `max_size_mb`, `list_price`. */
const notItself =
  /\b(?:max|maximum|min|minimum|limit|timeout|allowed|target|quota|threshold|expected|planned|budget|estimated|old|previous|last|first|discount|tax|shipping|delivery|average|avg|list|per|monthly|yearly)\b/;

/**
 * The one figure that a question measures without its name: `latency_ms` for "did it take longer than 2 seconds". `rest`
 * are its words without the comparison.
 */
export function measuredIn(
  tokens: readonly Token[],
  rest: readonly Token[],
  range: Range,
  { nodes }: Structure,
): { readonly quantity: Quantity; readonly certainty: number } | null {
  const kind = kinds.find(
    ({ words }) => tokens.some(({ text }) => words.has(text)) || (range.isAge && words.has('old')),
  );
  const unit = range.unit ?? (kind?.words.has('old') === true ? 'year' : null);
  // Figures of money are seldom named with their currency; all others are.
  if (kind === undefined || !kind.fits(unit)) return null;
  const isAge = kind.words.has('old');
  const found = onlyOne(
    nodes.flatMap((node) => {
      const quantity = isFigure(node, kind) ? quantityOf(node) : null;
      const fits = quantity !== null && kind.fits(quantity.unit) && valueIn(quantity, unit) !== null;
      return fits ? [{ node, quantity }] : [];
    }),
  );
  const [node, quantity] = found === null && isAge ? bornIn(nodes, range) : [found?.node, found?.quantity];
  if (node === undefined || quantity === undefined) return null;
  const certainty = certaintyOfSubject(
    rest.filter(({ text }) => !kind.words.has(text)),
    node,
    tokens,
  );
  return certainty === null ? null : { quantity, certainty };
}

function isFigure({ key, parent }: Node, { keys }: Kind): boolean {
  if (typeof key !== 'string') return false;
  const text = keyText(key);
  if (notItself.test(text)) return false;
  // `{ "price": { "amount_cents": 1999 } }`, and no `{ "price": { "tax": 19 } }`
  return (
    keys.test(text) || (/^(?:amount|value)\b/.test(text) && keys.test(keyText(String(parent?.key ?? ''))))
  );
}

const quantityOf = ({ value, key, parent }: Node): Quantity | null =>
  quantityAt({
    value,
    parent,
    keys: [key, parent?.key].filter((one) => typeof one === 'string'),
  });

/** By the day of a birth and that of today, where a state has both. */
function bornIn(nodes: readonly Node[], range: Range): readonly [Node?, Quantity?] {
  const born = ageAt(nodes);
  if (born === null) return [];
  // At 30 years and a month one is over 30 for some, and not for others.
  const isBound = (value: number, isIn: boolean) => !isIn && value === born.years;
  if (isBound(range.from, range.hasFrom) || (range.hasTo && range.to === born.years)) return [];
  return [born.node, { value: born.years, unit: 'year' }];
}
