import { tokenize } from '../../../../kernel/kit/words.ts';
import type { SourcePassage } from '../../model.ts';
import { toBlocks, type Block } from './markdown.ts';
import { splitSentences } from './sentences.ts';
import { isContent, stem } from './words.ts';

/** What may be quoted alone: a sentence, an item of a list, a row of a table, a block of code. */
export interface Unit {
  readonly kind: 'sentence' | 'item' | 'row' | 'code';
  /** As it is quoted, on one line but for code. */
  readonly text: string;
  readonly sourceId: number;
  /** Place of its passage in the request, of its block in the passage, and its own place in the passage. */
  readonly passage: number;
  readonly block: number;
  readonly place: number;
  /** How many units the section had before it. */
  readonly depth: number;
  readonly headings: readonly string[];
  /** Words that carry meaning, and their stems. */
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
  readonly length: number;
}

/** A passage as it is read: its blocks, and the units in them. */
export interface ReadPassage {
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
}

/** Characters that are read of all passages together, so that the work of a request is bounded. */
const charsMax = 200_000;
const sentenceCharsMax = 600;
const codeCharsMax = 2_500;
const wordsMin = 4;
/** Of what does not end like a sentence: labels and crumbs are shorter. */
const openWordsMin = 6;

/** The structure of all passages, and what of it could stand in an answer: no headings, no questions, no navigation. */
export function readPassages(passages: readonly SourcePassage[]): readonly ReadPassage[] {
  let left = charsMax;
  return passages.map(({ id, text }, passage) => {
    const read = text.slice(0, left);
    left -= read.length;
    const blocks = toBlocks(read);
    const units: Unit[] = [];
    let place = 0;
    let depth = 0;
    let section = '';
    for (const [block, one] of blocks.entries()) {
      const heading = one.headings.join('\n');
      if (heading !== section) [section, depth] = [heading, 0];
      for (const text of textsOf(one)) {
        const unit = toUnit(text, one, { sourceId: id, passage, block, place, depth });
        if (unit !== null) units.push(unit);
        place++;
        depth++;
      }
    }
    return { blocks, units };
  });
}

function textsOf(block: Block): readonly string[] {
  if (block.kind === 'row') return [rowText(block)];
  return block.kind === 'prose' ? splitSentences(block.text) : [block.text];
}

/** A row as a sentence of its own: its first cell names it, the names of further columns where there are several. */
export function rowText({ columns, cells }: Pick<Block, 'columns' | 'cells'>): string {
  const [name = '', ...others] = cells;
  const told = others.flatMap((cell, at) => {
    const column = columns[at + 1] ?? '';
    if (cell === '') return [];
    return [others.length > 1 && column !== '' ? `${column}: ${cell}` : cell];
  });
  return [name, told.join('; ')].filter((part) => part !== '').join(' – ');
}

function toUnit(
  text: string,
  { kind, headings, columns }: Block,
  where: Pick<Unit, 'sourceId' | 'passage' | 'block' | 'place' | 'depth'>,
): Unit | null {
  if (text.length > (kind === 'code' ? codeCharsMax : sentenceCharsMax)) return null;
  const tokens = tokenize(kind === 'row' ? `${columns.join(' ')} ${text}` : text).concat(namesIn(text));
  const words = tokens.filter(isContent);
  const length = tokens.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
  if (kind === 'prose') {
    // Scripts without spaces have a token for each character, so this counts for them as well.
    const isWhole = /[\p{P}\p{S}]$|^[\p{L} ]{2,40}: \S/u.test(text);
    if (text.endsWith('?') || length < (isWhole ? wordsMin : openWordsMin)) return null;
  } else if (words.length === 0 || (kind === 'row' && columns.length === 0 && isSymbols(text))) return null;
  const unit = kind === 'prose' ? 'sentence' : kind;
  return { ...where, kind: unit, text, headings, words, stems: new Set(words.map(stem)), length };
}

/** A row of marks, which say nothing without the names of their columns. */
const isSymbols = (text: string): boolean => (text.match(/:\w{1,20}:|[✓✔✅❌✗✖]/gu)?.length ?? 0) > 2;

/** The words of names such as `windowMs`, which a question writes apart. */
function namesIn(text: string): readonly string[] {
  const names = text.match(/\b[a-z]+(?:[A-Z][a-z]+){1,5}\b/g) ?? [];
  return names.slice(0, 40).flatMap((name) => name.split(/(?=[A-Z])/).map((part) => part.toLowerCase()));
}
