import { tokenize } from '../../../../kernel/kit/words.ts';

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** English words that join others and words that only make a sentence a question: they answer nothing. */
const functionWords =
  list(`a about above after again all also am an and any anybody anyone anything are as at be
  because been before being below between both but by can could did do does doing done down during each either else
  ever every few for from further get gets getting give given gives got had has have having he her here hers him his
  how i if in into is it its just kind know let like made make makes many may me mean means might more most much must
  my need needs neither no nor not now of off on once one only or other our ours out over own per please possible
  regarding same say says shall she should show since so some somebody someone something sort such tell than thank
  thanks that the their theirs them then there these they thing things this those through to too toward under until
  up upon us use used using very want was way we well were what when where whether which while who whom whose why will
  with within without would yes yet you your yours explain describe define list answer question meaning happen happens
  happened called name named work works`);

/** Whether a word can be what a question is about. Marks and bare letters are not. */
export function isContent(word: string): boolean {
  return !functionWords.has(word) && /[\p{L}\p{N}]/u.test(word) && (word.length > 1 || !/[a-z]/.test(word));
}

const endings: readonly (readonly [RegExp, string])[] = [
  [/ies$/, 'y'],
  [/(ss|us|is)$/, '$1'],
  [/(ch|sh|x|z|ss)es$/, '$1'],
  [/s$/, ''],
];

/** A rough stem: forms of one word meet, and what is cut too far still meets its own other forms. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const [pattern, end] = endings.find(([ending]) => ending.test(word)) ?? [/$/, ''];
  const singular = word.replace(pattern, end);
  const base = singular.replace(/(?<=[a-z]{3})(?:ing|ed|ly)$/, '');
  return base.replace(/([bdgmnprt])\1$/, '$1').replace(/(?<=[a-z]{3})e$/, '');
}

/** Of the words that carry meaning. */
export const toStems = (text: string): readonly string[] => tokenize(text).filter(isContent).map(stem);

/** Stems of words for one thing that differ between question and answer: "how long" is answered by a length. */
const sameThing: readonly (readonly string[])[] = [
  ['long', 'length', 'duration'],
  ['tall', 'high', 'height'],
  ['deep', 'depth'],
  ['wide', 'width', 'breadth'],
  ['large', 'larger', 'big', 'bigger', 'small', 'smaller', 'size'],
  ['largest', 'biggest', 'longest', 'most', 'maximum', 'max'],
  ['smallest', 'shortest', 'least', 'minimum', 'min'],
  ['far', 'distance', 'away'],
  ['old', 'age'],
  ['heavy', 'weigh', 'weight'],
  ['cost', 'price', 'expensive'],
  ['fast', 'faster', 'slow', 'slower', 'speed', 'quick'],
  ['often', 'frequency'],
  ['visitor', 'visit'],
  ['inventor', 'invent', 'invented'],
  ['check', 'verify', 'verification', 'validate'],
  ['setting', 'option', 'configuration', 'configure'],
  ['delete', 'remove', 'forget'],
  ['picture', 'image', 'photo'],
  ['author', 'wrote', 'written', 'write', 'copyright'],
  ['founder', 'found', 'founded'],
  ['creator', 'create', 'created'],
  ['build', 'built', 'construct', 'constructed'],
  ['born', 'birth'],
  ['die', 'died', 'death'],
  ['begin', 'start', 'began'],
  ['specification', 'spec', 'standard'],
  ['maintain', 'maintainer'],
].map((words) => words.map(stem));

const things: ReadonlyMap<string, readonly string[]> = new Map(
  sameThing.flatMap((stems) => stems.map((one) => [one, stems] as const)),
);

export const meansSame = (a: string, b: string): boolean => a === b || (things.get(a)?.includes(b) ?? false);
