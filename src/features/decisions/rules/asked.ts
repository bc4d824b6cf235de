import { normalize } from '../../../kernel/kit/text.ts';
import type { NormalizedQuestion } from '../engine.ts';

/** One word, number, path, quoted text or mark of a question. */
export interface Token {
  readonly kind: 'word' | 'number' | 'path' | 'quoted' | 'mark';
  /** In lower case; of a quoted text without its quotes. */
  readonly text: string;
  /** As it was written, without quotes. */
  readonly raw: string;
}

/** Longer questions are no question of form: they explain something. */
const charsMax = 400;

const pattern =
  /(?<quoted>"[^"\n]*"|“[^“”\n]*”|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}]))|(?<path>\$?[\p{L}_][\p{L}\p{N}_]*(?:\[\d+\]|\.(?:[\p{L}_][\p{L}\p{N}_]*|\d+))+)|(?<number>\d+(?:[.,:/-]\d+|['’]\d{3}(?!\d))*[kKmM]?(?![\p{L}\p{N}_]))|(?<word>[\p{L}\p{N}_]+(?:[-'’][\p{L}\p{N}_]+)*)|(?<mark>[<>]=?|[=#%$€£¥₹]|(?<![\p{L}\p{N}_%)\]])[-−–](?=[$€£¥₹]?\d))/gu;

const contractions: ReadonlyMap<string, readonly string[]> = new Map([
  ["can't", ['can', 'not']],
  ['cannot', ['can', 'not']],
  ["won't", ['will', 'not']],
]);

/** Words that ask, and say nothing of what is asked. Longest first where one begins with another. */
const openings = [
  'i want to know whether',
  'i want to know if',
  'please tell me whether',
  'please tell me if',
  'please check whether',
  'please check if',
  'please determine whether',
  'please determine if',
  'tell me whether',
  'tell me if',
  'check whether',
  'check if',
  'check that',
  'decide whether',
  'decide if',
  'determine whether',
  'determine if',
  'detect whether',
  'detect if',
  'answer whether',
  'say whether',
  'say if',
  'verify that',
  'true or false',
  'yes or no',
  'whether',
].map((words) => words.split(' '));

const closings = [
  'answer with yes or no',
  'answer yes or no',
  'yes or no',
  'true or false',
  'answer with true or false',
].map((words) => words.split(' '));

/** How `prompt.ts` turns a question around. */
const opposite = 'is the opposite of the following the case'.split(' ');

export interface Asked {
  readonly tokens: readonly Token[];
  /** The opposite of what the tokens say is asked for. */
  readonly isTurned: boolean;
}

/** Reads the words of a question; null where it says nothing, or too much. */
export function readAsked({ question }: Pick<NormalizedQuestion, 'question'>): Asked | null {
  if (question === '' || question.length > charsMax) return null;
  let tokens = tokensOf(question);
  const isTurned = begins(tokens, opposite);
  if (isTurned) tokens = tokens.slice(opposite.length);
  const opening = openings.find((words) => begins(tokens, words));
  if (opening !== undefined) tokens = tokens.slice(opening.length);
  const closing = closings.find((words) => begins(tokens.slice(-words.length), words));
  if (closing !== undefined) tokens = tokens.slice(0, -closing.length);
  return tokens.length === 0 ? null : { tokens, isTurned };
}

/** Words, numbers and marks of a text, the sign of a number among them. Commas, full stops and question marks are left out. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { groups = {} } of normalize(text, 'NFC').matchAll(pattern)) {
    const { quoted, path, number, word, mark } = groups;
    if (quoted !== undefined) push(tokens, 'quoted', quoted.slice(1, -1).trim());
    else if (path !== undefined) push(tokens, 'path', path);
    else if (number !== undefined) push(tokens, 'number', number);
    else if (word !== undefined) pushWord(tokens, word.replaceAll('’', "'"));
    else push(tokens, 'mark', mark ?? '');
  }
  return tokens;
}

function pushWord(tokens: Token[], word: string): void {
  const text = word.toLowerCase();
  const parts = contractions.get(text);
  if (parts !== undefined) for (const part of parts) push(tokens, 'word', part);
  else if (text.endsWith("n't")) for (const part of [word.slice(0, -3), 'not']) push(tokens, 'word', part);
  else if (text.endsWith("'s")) for (const part of [word.slice(0, -2), "'s"]) push(tokens, 'word', part);
  else push(tokens, 'word', word);
}

function push(tokens: Token[], kind: Token['kind'], raw: string): void {
  tokens.push({ kind, text: raw.toLowerCase(), raw });
}

function begins(tokens: readonly Token[], words: readonly string[]): boolean {
  return words.every((word, at) => tokens[at]?.text === word);
}
