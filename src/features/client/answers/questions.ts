import { withoutEndSlashes } from '../../../kernel/kit/text.ts';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';
import { isJsonObject, JsonError, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { parseJson } from '../../../kernel/kit/json-parse.ts';

/** A question with what is known of a right answer to it. */
export interface AskedQuestion {
  readonly question: string;
  /** Ends of the addresses of pages that answer it; empty where no page does; null where that is not said. */
  readonly pages: readonly string[] | null;
  /** Whether the text of an answer holds what a right one holds; null where that is not said. */
  readonly isRight: ((text: string) => boolean) | null;
}

const depthMax = 8;
const fields = new Set(['question', 'pages', 'holds', 'matches']);

/** Reads a file of JSON lines. Throws ExampleError, which names the line. */
export function readQuestions(text: string, name: string): readonly AskedQuestion[] {
  const questions = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [toQuestion(line, `${name}:${at + 1}`)]));
  if (questions.length === 0) throw new ExampleError(`${name}: no question in it`);
  return questions;
}

function toQuestion(line: string, place: string): AskedQuestion {
  const read = parseLine(line, place);
  const { question, pages = null, holds, matches } = read;
  const unknown = Object.keys(read).find((field) => !fields.has(field));
  if (unknown !== undefined)
    throw new ExampleError(`${place}: "${unknown}" is not known; there are ${[...fields].join(', ')}`);
  if (typeof question !== 'string' || question.trim() === '')
    throw new ExampleError(`${place}: "question" has to be a text`);
  if (pages !== null && !isTexts(pages))
    throw new ExampleError(`${place}: "pages" has to be a list of the ends of addresses`);
  const isRight = toTest(holds, matches, place);
  if (pages === null && isRight === null)
    throw new ExampleError(`${place}: it says nothing of a right answer: pages, holds or matches`);
  if (pages?.length === 0 && isRight !== null)
    throw new ExampleError(`${place}: no page answers it, and yet an answer is to hold something`);
  return { question, pages, isRight };
}

function parseLine(line: string, place: string): JsonObject {
  try {
    const { value } = parseJson(Buffer.from(line), { depthMax });
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  throw new ExampleError(`${place}: not a JSON object`);
}

/** White space of answers is folded: a quote may be wrapped. */
const fold = (text: string): string => text.replaceAll(/\s+/g, ' ');

function toTest(holds: Json | undefined, matches: Json | undefined, place: string): AskedQuestion['isRight'] {
  if (holds !== undefined && matches !== undefined)
    throw new ExampleError(`${place}: "holds" and "matches" exclude each other`);
  if (matches !== undefined) {
    const pattern = typeof matches === 'string' ? toPattern(matches) : null;
    if (pattern === null) throw new ExampleError(`${place}: "matches" is not a regular expression`);
    return (text) => pattern.test(fold(text));
  }
  if (holds === undefined) return null;
  const texts = typeof holds === 'string' ? [holds] : holds;
  if (!isTexts(texts) || texts.length === 0)
    throw new ExampleError(`${place}: "holds" has to be a text or a list of texts`);
  const wanted = texts.map((text) => fold(text).toLowerCase());
  return (text) => {
    const folded = fold(text).toLowerCase();
    return wanted.some((one) => folded.includes(one));
  };
}

/** Null for what is none. */
export function toPattern(text: string): RegExp | null {
  try {
    return new RegExp(text, 'u');
  } catch {
    return null;
  }
}

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');

/** Whether an address is that of a page, by the end of its path: "guide/keys" of "https://x.example/docs/guide/keys#new". */
export function isPage(address: string, page: string): boolean {
  const [path, end] = [address, page].map((one) =>
    withoutEndSlashes(one.replace(/[?#].*$/s, '')).toLowerCase(),
  );
  if (path === undefined || end === undefined || !path.endsWith(end)) return false;
  return path.length === end.length || end.startsWith('/') || path[path.length - end.length - 1] === '/';
}
