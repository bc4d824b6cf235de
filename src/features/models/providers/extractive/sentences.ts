import { tokenize } from '../../../../kernel/kit/words.ts';
import type { SourcePassage } from '../../model.ts';
import { isContent, stem } from './words.ts';

export interface Sentence {
  /** The sentence as it stands in the source, on one line. */
  readonly text: string;
  readonly sourceId: number;
  /** Place of its passage in the request, then its own place in the passage. */
  readonly passage: number;
  readonly place: number;
  /** Words that carry meaning, and their stems, in order. */
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
  readonly length: number;
}

/** Characters that are read of all passages together, so that the work of a request is bounded. */
const charsMax = 200_000;
const sentenceCharsMax = 600;
const wordsMin = 4;

const abbreviation =
  /(?:^|[\s(])(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|No|Fig|vs|etc|approx|ca|e\.g|i\.e|cf|Inc|Ltd|Corp|U\.S|U\.K)\.\s*$/;

/** Every sentence that could stand alone in an answer: no headings, no cells, no questions. */
export function toSentences(passages: readonly SourcePassage[]): readonly Sentence[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences: Sentence[] = [];
  let left = charsMax;
  for (const [passage, { id, text }] of passages.entries()) {
    const read = text.slice(0, left);
    left -= read.length;
    let place = 0;
    for (const paragraph of toParagraphs(read)) {
      for (const raw of split(paragraph, segmenter)) {
        const sentence = toSentence(raw, id, passage, place);
        if (sentence !== null) sentences.push(sentence);
        place++;
      }
    }
  }
  return sentences;
}

function split(line: string, segmenter: Intl.Segmenter): readonly string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenter.segment(line)) {
    open += segment;
    if (abbreviation.test(open)) continue;
    sentences.push(open);
    open = '';
  }
  return open === '' ? sentences : [...sentences, open];
}

function toSentence(raw: string, sourceId: number, passage: number, place: number): Sentence | null {
  const text = raw
    .replace(/^\s*(?:[-*#>•|]+|\d+[.)])\s+/, '')
    // The words of a link and not its address, and no marks of emphasis, which in code are a part of what it says.
    .replaceAll(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/(`[^`]*`)|\*\*|__/g, (_mark, code: string | undefined) => code ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text.length > sentenceCharsMax || text.endsWith('?')) return null;
  const tokens = tokenize(text);
  const words = tokens.filter(isContent);
  const length = tokens.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
  // Scripts without spaces have a token for each character, so this counts for them as well.
  if (length < wordsMin || !/[\p{P}\p{S}]$/u.test(text)) return null;
  return { text, sourceId, passage, place, words, stems: new Set(words.map(stem)), length };
}

const fence = /^\s*(?:```|~~~)/;
const listItem = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const heading = /^\s*#{1,6}\s/;
/** Rows of tables, comments, rules: structure that says nothing as a sentence. */
const structure = /^\s*(?:\||<!--|-->|[-=*_]{3,}\s*$)/;
/**
 * A passage may begin in the middle of a block of code, whose fence is then not seen. Wrapped prose begins lines with
 * `words of code` and with links as well, and ends them with semicolons: left out, such a line would leave the rest of
 * its sentence as one.
 */
const codeBeginning =
  /^(?:[{}\]"'$<]|\[(?![^\]]+\]\()|--?[A-Za-z]|curl\b|npm\b|npx\b|import\b|export\b|const\b|let\b|return\b|\/\/)/;

function isCodeLine(line: string): boolean {
  const text = line.trim();
  if (codeBeginning.test(text) || /[{}\\]$/.test(text) || /":\s/.test(line)) return true;
  return text.endsWith(';') && /[=()]/.test(text);
}

/** The prose of a text by paragraph or list item, with wrapped lines joined and headings, tables and code left out. */
export function toParagraphs(text: string): readonly string[] {
  const paragraphs: string[] = [];
  let open: string[] = [];
  let isCode = false;
  const close = () => {
    if (open.length > 0) paragraphs.push(open.join(' '));
    open = [];
  };
  for (const line of text.split('\n')) {
    if (fence.test(line)) {
      close();
      isCode = !isCode;
    } else if (isCode) continue;
    else if (line.trim() === '' || heading.test(line) || structure.test(line) || isCodeLine(line)) close();
    else {
      if (listItem.test(line)) close();
      open.push(line.trim());
    }
  }
  close();
  return paragraphs;
}
