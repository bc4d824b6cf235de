import { tokenize } from '../../../../kernel/kit/words.ts';
import type { ModelRequest } from '../../model.ts';
import { isContent, stem } from './words.ts';

/** The kind of thing that an answer has to name, by the words of the question. */
export type Asked = 'person' | 'time' | 'number' | 'place' | 'reason' | 'definition' | 'way' | 'any';

export interface Question {
  readonly text: string;
  /** Words that carry meaning, without repeats. */
  readonly words: readonly { readonly word: string; readonly stem: string; readonly weight: number }[];
  readonly asked: Asked;
}

const questionCharsMax = 4_000;
/** A question with fewer words of its own ("and in winter?") leans on the one before it. */
const ownWordsMin = 2;
const earlierWeight = 0.5;

const cues: readonly (readonly [Asked, RegExp])[] = [
  [
    'time',
    /\b(?:when|what (?:year|date|day|time|month)|which (?:year|date|day|month)|since when|how long ago)\b/i,
  ],
  [
    'number',
    /\bhow (?:many|much|long|far|tall|high|deep|wide|big|large|old|often|fast|heavy)\b|\bwhat (?:number|percentage|share|price)\b/i,
  ],
  ['person', /\b(?:who|whom|whose)\b/i],
  ['place', /\b(?:where|which (?:city|country|place)|what (?:city|country|place))\b/i],
  ['reason', /\b(?:why|what (?:causes?|caused|is the reason))\b|\bhow come\b/i],
  ['definition', /^\W*(?:what(?:'s| is| are| does .* mean)|define|meaning of)\b/i],
  ['way', /\bhow (?:do|does|can|to|should|would|is|are)\b/i],
];

/** The last thing a person asked, and what it depends on. */
export function toQuestion({ turns }: ModelRequest): Question {
  const asked = turns.flatMap((turn) => {
    if (turn.role !== 'user') return [];
    const text = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    return text.trim() === '' ? [] : [text.trim().slice(-questionCharsMax)];
  });
  const text = asked.at(-1) ?? '';
  const words = new Map<string, { word: string; stem: string; weight: number }>();
  const add = (from: string, weight: number) => {
    for (const word of tokenize(from)) {
      const key = stem(word);
      if (isContent(word) && !words.has(key)) words.set(key, { word, stem: key, weight });
    }
  };
  add(text, 1);
  if (words.size < ownWordsMin) add(asked.at(-2) ?? '', earlierWeight);
  return {
    text,
    words: [...words.values()],
    asked: cues.find(([, pattern]) => pattern.test(text))?.[0] ?? 'any',
  };
}
