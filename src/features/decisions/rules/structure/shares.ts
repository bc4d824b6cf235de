import { isJsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Distribution, NormalizedQuestion } from '../../engine.ts';
import { type Token, tokensOf } from '../asked.ts';
import { type Cursor, findFirst, phrases } from '../cursor.ts';
import { type Quantity, valueIn } from '../quantity.ts';
import { findComparison, isWithin } from '../range.ts';
import { toChoice, type Verdict, verdict } from '../verdict.ts';
import { quantityAt } from './amounts.ts';
import type { Structure } from './lookup.ts';
import { membersOf, type Node } from './nodes.ts';
import { certaintyOfSubject, keyText, onlyOne } from './subjects.ts';
import { fillers, wordsOfKey } from './words.ts';

/** A figure that is a part of another one beside it: `used_gb` of `total_gb`, `accepted` of `invited`. */
interface Share {
  readonly node: Node;
  readonly share: number;
  /** Words of the part. */
  readonly words: readonly string[];
  /** Words of the whole. */
  readonly whole: readonly string[];
  /** What is left of the whole was told: `free_gb`. */
  readonly isRest: boolean;
}

const parts =
  /\b(?:used|taken|present|attended|attending|accepted|done|completed|finished|sold|filled|occupied|paid|answered|responded|responses|passed|booked|spent|consumed|delivered|redeemed)\b/;
const rests = /\b(?:free|left|remaining|unsold|unused)\b/;
const wholes = /\b(?:total|capacity|invited|enrolled|registered|quota|budget|allowance|all|size|seats)\b/;

function sharesOf(nodes: readonly Node[]): readonly Share[] {
  return membersOf(nodes).flatMap((members) => {
    const figures = members.flatMap((node) => {
      const quantity = quantityIn(node);
      return quantity === null ? [] : [{ node, quantity, words: wordsOfKey(String(node.key)) }];
    });
    return figures.flatMap((part) => {
      const isRest = rests.test(keyText(String(part.node.key)));
      if (!isRest && !parts.test(keyText(String(part.node.key)))) return [];
      const whole = onlyOne(figures.filter((one) => one !== part && isWhole(one.words, part.words)));
      const amount = whole === null ? null : valueIn(part.quantity, whole.quantity.unit);
      if (whole === null || amount === null || whole.quantity.value <= 0) return [];
      const share = amount / whole.quantity.value;
      return share < 0 || share > 1
        ? []
        : [
            {
              node: part.node,
              share: isRest ? 1 - share : share,
              words: part.words,
              whole: whole.words,
              isRest,
            },
          ];
    });
  });
}

/** `seats` is the whole of `seats_used`, and `total_gb` of `used_gb`. */
function isWhole(words: readonly string[], part: readonly string[]): boolean {
  if (words.some((word) => parts.test(word) || rests.test(word))) return false;
  const nouns = part.filter((word) => !parts.test(word) && !rests.test(word));
  if (nouns.length > 0 && words.length === nouns.length && nouns.every((noun) => words.includes(noun)))
    return true;
  return (
    words.some((word) => wholes.test(word)) &&
    (nouns.length === 0 || nouns.some((noun) => words.includes(noun)))
  );
}

const quantityIn = ({ value, key, parent }: Node): Quantity | null =>
  typeof key === 'string' && typeof value === 'number' ? quantityAt({ value, parent, keys: [key] }) : null;

const moreThanHalf = phrases(
  'more than half|over half|most|the majority|a majority|more than half of|most of',
);
const lessThanHalf = phrases('less than half|fewer than half|under half|a minority|less than half of');
const whole = phrases(
  'all|every|each|completely|fully|entirely|everybody|everyone|whole|the whole|entire|the entire',
);
const full = phrases('full|sold out|used up|fully booked|completely full');
/** What is full has been filled. */
const filling = /\b(?:used|occupied|filled|booked|sold|taken|free|left|remaining)\b/;
const helping = new Set(
  'of those them these people who that have has her his their already yet up out any and'.split(' '),
);

type Test = (share: number) => boolean;

/** "are all seats used", "did more than half of those invited accept", "is the disk full". */
export function readShare(tokens: readonly Token[], { nodes }: Structure): Verdict | null {
  const asked = findFirst(tokens, takeShare) ?? percentOf(tokens);
  if (asked === null) return null;
  const isFull = asked.found.isFull;
  const words = asked.rest.filter(({ text }) => !fillers.has(text) && !helping.has(text));
  const found = onlyOne(
    sharesOf(nodes).filter((share) =>
      isFull ? filling.test(keyText(String(share.node.key))) : !share.isRest && isNamed(share, words),
    ),
  );
  if (found === null || words.some((word) => isOtherFigure(word, found))) return null;
  const certainty = certaintyOfSubject(
    words.filter(({ text }) => !isBeside(text, found.node)),
    found.node,
    tokens,
  );
  return certainty === null ? null : verdict(asked.found.test(found.share), certainty);
}

function takeShare(cursor: Cursor): { readonly test: Test; readonly isFull: boolean } | null {
  if (cursor.take(full) !== null) return { test: (share) => share === 1, isFull: true };
  if (cursor.take(moreThanHalf) !== null) return { test: (share) => share > 0.5, isFull: false };
  if (cursor.take(lessThanHalf) !== null) return { test: (share) => share < 0.5, isFull: false };
  return cursor.take(whole) === null ? null : { test: (share) => share === 1, isFull: false };
}

/** "at least 90 percent of those invited" */
function percentOf(
  tokens: readonly Token[],
): { readonly found: { test: Test; isFull: boolean }; readonly rest: readonly Token[] } | null {
  const compared = findComparison(tokens);
  if (compared === null || compared.found.unit !== '%') return null;
  const { found, rest } = compared;
  return { found: { test: (share) => isWithin(share * 100, found), isFull: false }, rest };
}

/** Whether the words say what was done: "accepted" of `accepted`. */
const isNamed = ({ words }: Share, asked: readonly Token[]): boolean =>
  words
    .filter((word) => parts.test(word))
    .some((word) => asked.some(({ text }) => stem(text) === stem(word) || `${text}d` === word));

/** "Are all members present" of `members`, where the whole is those `invited`. */
function isOtherFigure({ text }: Token, { node, words, whole: of }: Share): boolean {
  const value = node.parent?.value;
  if (value === undefined || !isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, own]) =>
      typeof own === 'number' &&
      wordsOfKey(key).some(
        (word) => stem(word) === stem(text) && ![...words, ...of].some((other) => stem(other) === stem(word)),
      ),
  );
}

/** Whether a word is of a key beside the figure: "invited". */
function isBeside(text: string, { parent }: Node): boolean {
  const value = parent?.value;
  return (
    value !== undefined &&
    isJsonObject(value) &&
    Object.keys(value).some((key) => wordsOfKey(key).some((word) => stem(word) === stem(text)))
  );
}

/** Shares that levels name, the narrower before the wider. */
const levels: readonly (readonly [form: RegExp, from: number, to: number])[] = [
  [/^(?:none|nobody|no one|nothing|empty|completely empty)\b/, 0, 0],
  [/^(?:all|everybody|everyone|everything|full|completely full)\b/, 1, 1],
  [/^(?:almost|nearly|hardly|barely) (?:empty|none|nobody|any|anybody|anyone|no)/, 0, 0.15],
  [/^(?:almost|nearly|practically) (?:full|all|everybody|everyone)/, 0.85, 1],
  [/^(?:about |around )?half\b/, 0.4, 0.6],
  [/^(?:less than|fewer than|under|below) half\b/, 0, 0.4999],
  [/^(?:more than|over|above) half\b|^(?:most|the majority)\b/, 0.5001, 1],
  [/^(?:some|a few|few)\b/, 0.0001, 0.5],
];
const levelCertainty = 0.95;
const asksShare = /^how (?:full|many|much|well|complete|crowded|busy)\b/;

/** "how full is the disk", with levels such as "almost empty" and "more than half full". */
export function chooseShare(
  tokens: readonly Token[],
  { kind, options }: NormalizedQuestion,
  { nodes }: Structure,
): Distribution | null {
  if (
    !asksShare.test(
      tokens
        .slice(0, 2)
        .map(({ text }) => text)
        .join(' '),
    )
  )
    return null;
  const ranges = options.map(({ name, description }) => rangeOf(kind === 'score' ? description : name));
  if (ranges.length < 2 || ranges.includes(null)) return null;
  const words = tokens.slice(1).filter(({ text }) => !fillers.has(text));
  const all = sharesOf(nodes);
  const said = all.filter((share) => !share.isRest && isNamed(share, words));
  // "How many of those invited declined" asks for a part that is not there.
  const found = onlyOne(said.length > 0 ? said : tokens[1]?.text === 'many' ? [] : all);
  if (found === null) return null;
  const fitting = ranges.flatMap((range, at) =>
    range !== null && found.share >= range[0] && found.share <= range[1]
      ? [{ at, width: range[1] - range[0] }]
      : [],
  );
  const [first, second] = fitting.toSorted((a, b) => a.width - b.width);
  if (first === undefined || first.width === second?.width) return null;
  return toChoice(options.length, first.at, levelCertainty);
}

function rangeOf(text: string): readonly [number, number] | null {
  const plain = tokensOf(text)
    .map((token) => token.text)
    .join(' ');
  const level = levels.find(([form]) => form.test(plain));
  return level === undefined ? null : [level[1], level[2]];
}
