import { tokenize } from '../../../../kernel/kit/words.ts';
import type { ModelRequest } from '../../model.ts';
import { toCounted, toThing, type Thing } from './thing.ts';
import { isContent, stem, toStems } from './words.ts';

/** The kind of thing that an answer has to name, by the words of the question. */
export type Asked = 'person' | 'time' | 'number' | 'place' | 'reason' | 'definition' | 'way' | 'any';

export interface Question {
  readonly text: string;
  /** Words that carry meaning, without repeats. */
  readonly words: readonly { readonly word: string; readonly stem: string; readonly weight: number }[];
  readonly asked: Asked;
  /** What it asks for by name; null where nothing is named. */
  readonly thing: Thing | null;
  /** The stem of what is counted, of "how many"; null elsewhere. */
  readonly counted: string | null;
  /** Whether it asks for a time that passes, and whether for one that has passed. */
  readonly isDuration: boolean;
  readonly isPast: boolean;
  /** Stems of the name that a question of yes or no is about: "does express support HTTP/2". */
  readonly subject: readonly string[];
  /** Whether it is put as a question: orders and keywords are how people search, for whom what is near is of use. */
  readonly isAsked: boolean;
  /** Whether a person asks how to do something. */
  readonly isHowTo: boolean;
  /** What only a model does, where the question is an order to do it: "computed". */
  readonly task: string | null;
}

const questionCharsMax = 4_000;
/** A question with fewer words of its own ("and in winter?") leans on the one before it. */
const ownWordsMin = 2;
const earlierWeight = 0.5;

const cues: readonly (readonly [Asked, RegExp])[] = [
  [
    'time',
    /\b(?:when (?:is|are|was|were|do|does|did|will|would|has|have|had|can|should)|what (?:year|date|day|time|month)|which (?:year|date|day|month)|since when|how long ago)\b|^\W*when\b/i,
  ],
  [
    'number',
    /\bhow (?:many|much|long|far|tall|high|deep|wide|big|large|old|often|fast|heavy)\b|\bwhat (?:number|percentage|share|price)\b|\bwhat(?:'s| is) the (?:largest|biggest|smallest|highest|lowest|longest|shortest|maximum|minimum|max|min)\b/i,
  ],
  ['person', /\b(?:who|whom|whose)\b/i],
  ['place', /\b(?:where|which (?:city|country|place)|what (?:city|country|place))\b/i],
  ['reason', /\b(?:why|what (?:causes?|caused|is the reason))\b|\bhow come\b/i],
  ['definition', /^\W*(?:what(?:'s| is| are| does .* mean)|define|meaning of)\b/i],
  ['way', /\bhow (?:do|does|can|to|should|would|is|are)\b/i],
];

/** Verbs of orders as they are typed into a search box ("install and start the server"), which ask how to. */
const orders: ReadonlySet<string> = new Set(
  `add allow attach back build block call change check choose connect convert count crawl create debug decide
  delete deploy disable download enable export fetch find fit force forward generate give handle import index install
  keep limit list load make measure merge migrate move open parse pass point print publish pull put read redirect
  register remove rename replace reset restart retry revoke rotate run save schedule search send serve set share show
  sign skip sort split start stop store stream switch test turn update upgrade upload use validate write`.split(
    /\s+/,
  ),
);
const firstWord = /^\W*(?<word>[a-z]+)\b/i;

/** Ends as one, or begins as one: "which", "is it", "from which". */
const asks =
  /\?\s*$|^\W*(?:(?:at|by|for|from|in|of|on|since|to|up to|with) )?(?:who|whom|whose|what|when|where|which|why|how|does|do|did|is|are|was|were|can|could|may|must|should|will|would|has|have)\b/i;

/** Without an article it is a name. */
const subject = /^\W*does (?<name>[\w@/.-]+)/i;
const duration = /\bhow long (?:can|could|do|does|did|may|must|should|will|would|until|before)\b/i;
const past = /\bwhen (?:was|were|did)\b|\bsince when\b|\bhow long ago\b/i;
const howTo = /\bhow (?:do|can|could|should|would) (?:i|we|you|one)\b|\bhow to\b/i;

/** Orders that quoting does not follow, and what would have been done. */
const tasks: readonly (readonly [done: string, verbs: RegExp])[] = [
  ['computed', /^(?:compute|calculate|add up|sum up the (?:numbers|amounts)|solve|extrapolate|predict)\b/i],
  ['translated', /^translate\b/i],
  ['summarised', /^(?:summari[sz]e|sum up|condense|shorten)\b/i],
  ['rewritten', /^(?:rewrite|rephrase|paraphrase|reword|proofread|correct)\b/i],
  ['written', /^(?:write|draft|compose|generate|invent|brainstorm)\b/i],
  ['drawn', /^(?:draw|plot|sketch)\b/i],
];
const politeness =
  /^(?:(?:please|kindly|now|then|and|hey|hello|hi|can you|could you|would you|will you|i want you to|i need you to)[\s,]+){1,4}/i;

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
    task: tasks.find(([, verbs]) => verbs.test(text.replace(politeness, '')))?.[0] ?? null,
    thing: toThing(text),
    counted: toCounted(text),
    isDuration: duration.test(text),
    isPast: past.test(text),
    subject: toStems(subject.exec(text)?.groups?.['name'] ?? ''),
    isAsked: asks.test(text),
    isHowTo: howTo.test(text),
    asked: cues.find(([, pattern]) => pattern.test(text))?.[0] ?? (isOrder(text) ? 'way' : 'any'),
  };
}

const isOrder = (text: string): boolean =>
  orders.has(firstWord.exec(text)?.groups?.['word']?.toLowerCase() ?? '');
