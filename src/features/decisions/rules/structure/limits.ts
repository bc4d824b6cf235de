import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { Token } from '../asked.ts';
import { type Cursor, findFirst, phrases } from '../cursor.ts';
import { holdsIn, type Quantity, valueIn } from '../quantity.ts';
import { type Verdict, verdict } from '../verdict.ts';
import { quantityAt } from './amounts.ts';
import type { Structure } from './lookup.ts';
import { membersOf, type Node } from './nodes.ts';
import { certaintyOfSubject, keyText, onlyOne } from './subjects.ts';
import { fillers, wordsOfKey } from './words.ts';

/** What is asked of a figure and what bounds it. */
type Side = 'over' | 'under' | 'inside' | 'outside';

const ceiling =
  'limit|maximum|upper limit|maximum allowed|allowed maximum|permitted maximum|cap|quota|threshold|allowance';
const floor = 'minimum|lower limit|minimum required|required minimum';
const range = 'limits|range|normal range|reference range|allowed range|permitted range|target range|bounds';
const both = (verbs: string, nouns: string): string =>
  verbs
    .split('|')
    .flatMap((verb) =>
      nouns.split('|').flatMap((noun) => ['', 'the ', 'its '].map((article) => `${verb} ${article}${noun}`)),
    )
    .join('|');

const over = phrases(
  [
    both(
      'above|over|beyond|past|exceed|exceeds|exceeded|exceeding|more than|higher than|greater than',
      ceiling,
    ),
    both('above|over', 'normal range|reference range|normal|range'),
    ...'longer|more|higher|larger|bigger|heavier|faster|hotter|warmer'
      .split('|')
      .flatMap((word) => [
        `${word} than allowed`,
        `${word} than permitted`,
        `${word} than it may`,
        `${word} than is allowed`,
      ]),
  ].join('|'),
);
const under = phrases(
  [
    both('below|under|less than|lower than|fewer than', floor),
    both('below|under', 'normal range|reference range|normal|range'),
    'less than required',
    'fewer than required',
    'lower than allowed',
    'lower than required',
  ].join('|'),
);
const inside = phrases([both('within|inside|in', range), both('within|below|under', ceiling)].join('|'));
const outside = phrases(both('outside|outside of|out of', range));
const reading =
  (words: ReturnType<typeof phrases>, side: Side) =>
  (cursor: Cursor): Side | null =>
    cursor.take(words) === null ? null : side;
const readings = [
  reading(over, 'over'),
  reading(under, 'under'),
  reading(inside, 'inside'),
  reading(outside, 'outside'),
];

/** "too hot": of which figures, and past which bound. */
const tooMuch: ReadonlyMap<string, readonly [keys: RegExp, side: Side]> = new Map(
  (
    [
      ['hot warm', /temp|celsius|fahrenheit|degree/, 'over'],
      ['cold cool', /temp|celsius|fahrenheit|degree/, 'under'],
      ['large big', /size|bytes|length|area|volume/, 'over'],
      ['small', /size|bytes|length|area|volume/, 'under'],
      ['heavy', /weight|mass|load|kg/, 'over'],
      ['light', /weight|mass|kg/, 'under'],
      ['long', /duration|length|time|minutes|seconds|hours|characters|chars/, 'over'],
      ['short', /duration|length|time|minutes|seconds|hours|characters|chars/, 'under'],
      ['high', /./, 'over'],
      ['low', /./, 'under'],
      ['fast', /speed|kmh|mph/, 'over'],
      ['slow', /speed|kmh|mph/, 'under'],
      ['loud', /noise|volume|db|decibels?/, 'over'],
    ] as const
  ).flatMap(([words, keys, side]) => words.split(' ').map((word) => [word, [keys, side]] as const)),
);

/** A figure, and from where to where it may go. */
interface Bounded {
  readonly node: Node;
  readonly own: Quantity;
  readonly least: Quantity | null;
  readonly most: Quantity | null;
}

/** "is the file too large", "did it run longer than allowed", "is the value above normal", of a figure beside its bounds. */
export function readLimit(tokens: readonly Token[], { nodes }: Structure): Verdict | null {
  const asked = findFirst(tokens, takeSide);
  if (asked === null) return null;
  const { side, isOf: isMeant } = asked.found;
  const words = asked.rest.filter(({ text }) => !fillers.has(text) && !measuring.has(text));
  const all = boundsOf(nodes).filter(({ node }) => isMeant(keyText(String(node.key))));
  const said = all.filter(({ node }) =>
    words.some(({ text }) => wordsOfKey(String(node.key)).includes(text)),
  );
  const found = onlyOne(said.length > 0 ? said : all);
  if (found === null) return null;
  const holds = isOn(side, found);
  const certainty = certaintyOfSubject(words, found.node, tokens);
  return holds === null || certainty === null ? null : verdict(holds, certainty);
}

/** "run longer than allowed", "the value is", "too large to be uploaded". */
const measuring = new Set(
  'run ran running take took taken last lasted value reading figure level it getting go goes went allowed number count amount'.split(
    ' ',
  ),
);

interface Asked {
  readonly side: Side;
  /** Whether a figure may be meant, by the words of its key. */
  readonly isOf: (key: string) => boolean;
}

function takeSide(cursor: Cursor): Asked | null {
  for (const read of readings) {
    const side = read(cursor);
    if (side !== null) return { side, isOf: () => true };
  }
  const start = cursor.at;
  if (cursor.take(too) !== null) {
    const [keys, side] = tooMuch.get(cursor.takeAny()?.text ?? '') ?? [];
    if (keys !== undefined && side !== undefined) return { side, isOf: (key) => keys.test(key) };
  }
  cursor.backTo(start);
  return takeNamed(cursor);
}

/** "exceed the speed limit" */
function takeNamed(cursor: Cursor): Asked | null {
  const start = cursor.at;
  const isOver = cursor.take(passing) !== null;
  if (isOver || cursor.take(staying) !== null) {
    cursor.take(articles);
    const name = cursor.takeKind('word')?.text ?? '';
    if (cursor.take(ends) !== null)
      return { side: isOver ? 'over' : 'inside', isOf: (key) => key.split(' ').includes(name) };
  }
  cursor.backTo(start);
  return null;
}

const passing = phrases('above|over|beyond|past|exceed|exceeds|exceeded|exceeding');
const staying = phrases('within|below|under');
const articles = phrases('the|its|their|his|her');
const ends = phrases('limit|maximum|quota|cap|threshold|allowance');
const too = phrases('too');

function isOn(side: Side, { own, least, most }: Bounded): boolean | null {
  const isOver = most === null ? null : holdsIn(own, most.unit, (value) => value > most.value);
  const isUnder = least === null ? null : holdsIn(own, least.unit, (value) => value < least.value);
  if (side === 'over') return isOver;
  if (side === 'under') return isUnder;
  const isOut = isOver === true || isUnder === true;
  if (!isOut && ((most !== null && isOver === null) || (least !== null && isUnder === null))) return null;
  return isOut === (side === 'outside');
}

const upper = /\b(?:max|maximum|limit|allowed|cap|quota|permitted|threshold|allowance|upper)\b/;
const lower = /\b(?:min|minimum|least|required|lower)\b/;
const ranged = /\brange\b/;
const bounding = new Set(
  'max maximum limit allowed cap quota permitted threshold allowance upper min minimum least required lower range reference normal target'.split(
    ' ',
  ),
);

/** Figures of the objects of a structure that stand beside a bound of the same name, or beside the only one. */
function boundsOf(nodes: readonly Node[]): readonly Bounded[] {
  return membersOf(nodes).flatMap((members) => {
    if (!members.some(({ key }) => isBound(String(key)))) return [];
    const children = members.map((node) => ({ node, key: String(node.key), quantity: quantityIn(node) }));
    const figures = children.filter(({ key, quantity }) => quantity !== null && !isBound(key));
    return figures.flatMap((figure) => boundedBy(figure, children, figures) ?? []);
  });
}

function boundedBy(
  { node, key, quantity }: Child,
  children: readonly Child[],
  figures: readonly Child[],
): Bounded | null {
  if (quantity === null) return null;
  const isOnly = (bound: Child) => {
    const alike = figures.filter((one) => isAlike(one.quantity, bound.quantity));
    return alike.length === 1 && alike[0]?.node === node;
  };
  const bounds = children.filter((one) => isBound(one.key) && isOf(one.key, key, isOnly(one)));
  const named = (words: RegExp) => bounds.filter((one) => words.test(keyText(one.key)));
  const ofRange = onlyOne(named(ranged));
  const ends = ofRange === null ? null : endsOf(ofRange.node.value, quantity.unit);
  const least = ends?.[0] ?? onlyOne(named(lower))?.quantity ?? null;
  const most = ends?.[1] ?? onlyOne(named(upper))?.quantity ?? null;
  return least === null && most === null ? null : { node, own: quantity, least, most };
}

/** Whether what has no unit, or measures the same, may be what is bounded. */
const isAlike = (own: Quantity | null, bound: Quantity | null): boolean =>
  own !== null &&
  (bound === null || bound.unit === null || (own.unit !== null && valueIn(own, bound.unit) !== null));

interface Child {
  readonly node: Node;
  readonly key: string;
  readonly quantity: Quantity | null;
}

function isBound(key: string): boolean {
  const text = keyText(key);
  return upper.test(text) || lower.test(text) || ranged.test(text);
}

/** `max_size_mb` bounds `size_bytes`; `limit_c` whatever is the only figure beside it. */
function isOf(bound: string, key: string, isOnly: boolean): boolean {
  const words = wordsOfKey(bound).filter((word) => !bounding.has(word) && word.length > 1);
  if (words.length === 0) return isOnly;
  const own = wordsOfKey(key);
  return words.every((word) => own.some((one) => one === word || (word.length >= 4 && one.startsWith(word))));
}

const quantityIn = ({ value, key, parent }: Node): Quantity | null =>
  typeof key === 'string' && (typeof value === 'number' || typeof value === 'string')
    ? quantityAt({ value, parent, keys: [key] })
    : null;

/** `[3.9, 5.6]`, `{ "low": 3.9, "high": 5.6 }`, "3.9-5.6" */
function endsOf(value: Json, unit: string | null): readonly [Quantity | null, Quantity | null] {
  const text =
    typeof value === 'string' ? /^\s*(\d+(?:\.\d+)?)\s?[-–]\s?(\d+(?:\.\d+)?)(?:\s|$)/.exec(value) : null;
  const ends: readonly (Json | undefined)[] = Array.isArray(value)
    ? (value as readonly Json[])
    : isJsonObject(value)
      ? [value['low'] ?? value['min'] ?? value['from'], value['high'] ?? value['max'] ?? value['to']]
      : [Number(text?.[1] ?? Number.NaN), Number(text?.[2] ?? Number.NaN)];
  const [low, high] = ends;
  if (ends.length !== 2 || typeof low !== 'number' || typeof high !== 'number' || !(low < high))
    return [null, null];
  return [
    { value: low, unit },
    { value: high, unit },
  ];
}
