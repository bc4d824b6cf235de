import { splitSentences } from '../models/feature.ts';

/** A sentence of an answer, with the sources that it cites. */
export interface AnswerSentence {
  /** As it stands in the answer, markers included. */
  readonly text: string;
  /** Offsets in UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** By its own markers, or by those of the sentence that ends its paragraph; empty where nothing is cited. */
  readonly citations: readonly number[];
  /** Number of its paragraph, item, row or block of code. */
  readonly block: number;
}

const fence = /^\s{0,8}(?:`{3,}|~{3,})/;
const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/;
/** Of an item, which stands alone where its text begins with a mark. */
const number = /^\d{1,3}[.)]$/;
const leading = /^(?:\s{0,4}\[\d{1,4}(?: ?, ?\d{1,4}){0,9}\])+/;
const marker = /\[(\d{1,4}(?: ?, ?\d{1,4}){0,9})\](?!\()/g;

/** The sentences of an answer: of prose each by itself, an item, a row of a table and a block of code as one. */
export function toAnswerSentences(answer: string): readonly AnswerSentence[] {
  return blocksOf(answer).flatMap((spans, block) => withCitations(spans, block));
}

interface Span {
  readonly text: string;
  readonly start: number;
}

/** Paragraphs, items and rows line by line; a fence takes everything up to its end. */
function blocksOf(answer: string): readonly (readonly Span[])[] {
  const blocks: (readonly Span[])[] = [];
  let open: { start: number; end: number; isCode: boolean } | null = null;
  const close = () => {
    if (open !== null) blocks.push(split(answer.slice(open.start, open.end), open.start, open.isCode));
    open = null;
  };
  let at = 0;
  for (const line of answer.split('\n')) {
    const end = at + line.length;
    const isFence = fence.test(line);
    if (open?.isCode === true) {
      open.end = end;
      if (isFence) close();
    } else if (isFence) {
      close();
      open = { start: at, end, isCode: true };
    } else if (line.trim() === '') close();
    else if (open === null || item.test(line) || line.trimStart().startsWith('|')) {
      close();
      open = { start: at, end, isCode: false };
    } else open.end = end;
    at = end + 1;
  }
  close();
  return blocks;
}

/** Markers behind the end of a sentence belong to it. */
function split(text: string, offset: number, isCode: boolean): readonly Span[] {
  if (isCode) return [{ text, start: offset }];
  const spans: { text: string; start: number }[] = [];
  let at = 0;
  // Wrapped lines go on.
  const line = text.replaceAll('\n', ' ');
  for (const sentence of splitSentences(line)) {
    const from = line.indexOf(sentence, at);
    const moved = leading.exec(sentence)?.[0].length ?? 0;
    const last = spans.at(-1);
    if (moved > 0 && last !== undefined) last.text = text.slice(last.start - offset, from + moved);
    const rest = last === undefined ? sentence : sentence.slice(moved);
    const own = rest.trimStart();
    at = from + sentence.length;
    if (own !== '' && !number.test(own))
      spans.push({ text: text.slice(at - own.length, at), start: offset + at - own.length });
  }
  return spans;
}

/** A sentence without markers rests on those of the next one in its block that has some. */
function withCitations(spans: readonly Span[], block: number): readonly AnswerSentence[] {
  let next: readonly number[] = [];
  return spans
    .toReversed()
    .map(({ text, start }): AnswerSentence => {
      // Brackets inside of code are lists and places.
      const own = [...text.slice(text.lastIndexOf('```') + 1).matchAll(marker)].flatMap(([, list = '']) =>
        list.split(',').map(Number),
      );
      if (own.length > 0) next = [...new Set(own)];
      return { text, start, end: start + text.length, citations: next, block };
    })
    .toReversed();
}
