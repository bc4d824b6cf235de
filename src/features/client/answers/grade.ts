import { isPage, type AskedQuestion } from './questions.ts';

/** What of an answer can be judged. */
export interface GivenAnswer {
  readonly text: string;
  /** Addresses of the sources: `[1]` names the first. */
  readonly urls: readonly string[];
  /** Sentences that the server compared with their sources; null where it compares none. */
  readonly verified: { readonly sentences: number; readonly unsupported: number } | null;
}

/** One answer beside what is known of a right one. */
export interface GradedAnswer {
  readonly question: string;
  /** Something was stated as the answer, and not that the sources have none. */
  readonly stated: boolean;
  /** Place among the sources of the first page that answers; null where none does. */
  readonly place: number | null;
  /** Whether a page answers; null where that is not said. */
  readonly answerable: boolean | null;
  /** Whether what was stated holds what a right answer holds; null where that is not said. */
  readonly right: boolean | null;
  /** Sources that the answer cites, in their order, and how many of them are pages that answer. */
  readonly cited: readonly string[];
  readonly citedRight: number;
  readonly firstCitedRight: boolean;
  readonly verified: GivenAnswer['verified'];
  readonly text: string;
}

/**
 * How answers say that they have none: in Nestor's own words, and as models mostly say it at the beginning. Another
 * pattern may be given.
 */
export const usualRefusal =
  /^\W*(?:(?:no sentence of the sources|none of the sources|the (?:provided |given |search )?(?:sources|results|documents|context)(?: provided)? (?:do|does) ?(?:n[o’']t|not) )|(?:i(?:['’]m| am) sorry|sorry|unfortunately)\b|i (?:could ?n[o’']t|could not|cannot|can['’]t|was unable|do not|don['’]t) (?:to )?(?:find|answer|know|have)|there is no (?:information|mention|answer))/iu;

const marker = /\[(\d{1,4}(?: ?, ?\d{1,4}){0,9})\](?!\()/g;
const code = /(?:^|\n)[ \t]{0,8}(`{3,}|~{3,})[\s\S]*?(?:\n[ \t]{0,8}\1|$)/g;

/** Numbers of the sources that a text cites, each once, in the order of its text. Brackets inside of code cite nothing. */
export function citationsIn(text: string): readonly number[] {
  const prose = text.replaceAll(code, '\n').replaceAll(/`[^`\n]*`/g, '');
  return [...new Set([...prose.matchAll(marker)].flatMap(([, list = '']) => list.split(',').map(Number)))];
}

/** Judges an answer. */
export function grade(
  { question, pages, isRight }: AskedQuestion,
  { text, urls, verified }: GivenAnswer,
  refusal: RegExp,
): GradedAnswer {
  const answers = (url: string): boolean => pages?.some((page) => isPage(url, page)) ?? false;
  const place = urls.findIndex(answers);
  const stated = text.trim() !== '' && !refusal.test(text);
  const cited = citationsIn(text).flatMap((number) => urls[number - 1] ?? []);
  return {
    question,
    stated,
    place: place < 0 ? null : place + 1,
    answerable: pages === null ? null : pages.length > 0,
    right: isRight === null ? null : stated && isRight(text),
    cited,
    citedRight: cited.filter(answers).length,
    firstCitedRight: cited[0] !== undefined && answers(cited[0]),
    verified,
    text,
  };
}
