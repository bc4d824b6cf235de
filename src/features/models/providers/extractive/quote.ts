import type { Block } from './markdown.ts';
import { isFact } from './fits.ts';
import type { Question } from './question.ts';
import { isAskedAbove, type Scored } from './rank.ts';
import { splitSentences } from './sentences.ts';
import { rowText, type ReadPassage, type Unit } from './units.ts';

/** What is quoted of one place, under its heading and with its citation. */
export interface Quote {
  /** Empty where the place has none, or where it was quoted before. */
  readonly heading: string;
  readonly text: string;
  /** Whether it is prose alone, which may stand in one paragraph with others. */
  readonly isProse: boolean;
}

/** Length of a passage that is quoted whole, and of the code in it. Unit: characters. */
const passageCharsMax = 600;
const codeCharsMax = 1_500;
const itemsMax = 12;
/** A section is quoted from its beginning where its headings have this share of the question. */
const headedMin = 0.6;
/** Blocks between the beginning of a section and what answers in it. */
const blocksBeforeMax = 4;

/** Quotes in the order of their worth: of a fact its sentence, else the passage in which the answer stands. */
export function toQuotes(
  chosen: readonly Scored[],
  read: readonly ReadPassage[],
  { asked }: Pick<Question, 'asked'>,
): readonly Quote[] {
  const headings = new Set<string>();
  const said = new Set<Block>();
  return chosen.flatMap((one, at): readonly Quote[] => {
    const { unit, headed } = one;
    const blocks = read[unit.passage]?.blocks ?? [];
    const block = blocks[unit.block];
    if (block === undefined || said.has(block)) return [];
    const path = `${unit.passage} ${unit.headings.join(' > ')}`;
    const heading = headings.has(path) ? '' : (unit.headings.at(-1) ?? '');
    headings.add(path);
    const isWhole = headed >= headedMin || asked === 'way';
    const blocksBefore = isAskedAbove(one) ? Infinity : isWhole ? blocksBeforeMax : 0;
    const quoted =
      at === 0 && !isFact(asked)
        ? passageOf(unit, blocks, blocksBefore)
        : alone(unit, block, blocks, asked === 'way');
    for (const one of quoted) said.add(one.block);
    const isProse = quoted.every((one) => one.block.kind === 'prose');
    return [{ heading, text: written(quoted, ` [${unit.sourceId}]`), isProse }];
  });
}

interface Quoted {
  readonly block: Block;
  readonly sentences: readonly string[];
}

/** The unit, and what it leads to. */
function alone(unit: Unit, block: Block, blocks: readonly Block[], isWay: boolean): readonly Quoted[] {
  const quoted: Quoted[] = [{ block, sentences: unit.kind === 'sentence' ? sentencesOf(unit, block) : [] }];
  const next = blocks[unit.block + 1];
  const isLeading =
    next !== undefined && ((isWay && next.kind === 'code') || (isLed(quoted) && next.kind !== 'prose'));
  if (!isLeading || next.headings.join('\n') !== unit.headings.join('\n')) return quoted;
  const end = blocks.findIndex((one, at) => at > unit.block && one.kind !== next.kind);
  const led = next.kind === 'code' ? [next] : blocks.slice(unit.block + 1, end < 0 ? undefined : end);
  return [...quoted, ...led.slice(0, itemsMax).map((one) => ({ block: one, sentences: [] }))];
}

/** Of a short paragraph with what follows in it, which may be what was asked for. */
function sentencesOf(unit: Unit, block: Block): readonly string[] {
  if (block.text.length > paragraphCharsMax) return [unit.text];
  const sentences = splitSentences(block.text);
  return sentences.slice(beginningOf(unit, sentences));
}

const paragraphCharsMax = 360;

/** What answers and what follows it in its section, or the section from its beginning. */
function passageOf(unit: Unit, blocks: readonly Block[], blocksBefore: number): readonly Quoted[] {
  const section = unit.headings.join('\n');
  const isHere = (at: number): boolean => blocks[at]?.headings.join('\n') === section;
  let from = unit.block;
  if (blocksBefore > 0 && section !== '')
    while (from > 0 && unit.block - from < blocksBefore && isHere(from - 1)) from--;
  // What leads to a list or to code is quoted with it.
  else if (unit.kind !== 'sentence' && isHere(from - 1) && blocks[from - 1]?.kind === 'prose') from--;
  const quoted: Quoted[] = [];
  let left = passageCharsMax;
  let items = 0;
  let codes = 0;
  // Without headings nothing says where a section ends: its paragraph does then.
  const goesOn = (at: number): boolean => isHere(at) && (section !== '' || at === from || isLed(quoted));
  for (let at = from; goesOn(at); at++) {
    const block = blocks[at];
    if (block === undefined) break;
    const isNeeded = at <= unit.block || isLed(quoted);
    if (block.kind === 'code') {
      if (block.text.length > codeCharsMax || codes === codesMax || !(isNeeded || left > 0)) break;
      quoted.push({ block, sentences: [] });
      codes++;
      continue;
    }
    if (left <= 0 && !isNeeded) break;
    if (block.kind !== 'prose') {
      if (++items > itemsMax && at > unit.block) break;
      left -= block.text.length;
      quoted.push({ block, sentences: [] });
      continue;
    }
    const sentences = splitSentences(block.text);
    const first = at === unit.block && from === unit.block ? beginningOf(unit, sentences) : 0;
    const kept = fitting(sentences.slice(first), isNeeded ? Math.max(left, passageCharsMax / 2) : left);
    left -= kept.reduce((sum, { length }) => sum + length, 0);
    if (kept.length > 0) quoted.push({ block, sentences: kept });
    if (kept.length < sentences.length - first) break;
  }
  return quoted;
}

const codesMax = 2;

/** The second sentence of a paragraph mostly goes on with the first; further ones stand for themselves. */
function beginningOf({ text }: Unit, sentences: readonly string[]): number {
  const at = Math.max(0, sentences.indexOf(text));
  return at === 1 && (sentences[0]?.length ?? 0) <= topicCharsMax ? 0 : at;
}

const topicCharsMax = 160;

/** Whether what was quoted last announces what comes. */
function isLed(quoted: readonly Quoted[]): boolean {
  const last = quoted.at(-1);
  return last !== undefined && (last.sentences.at(-1) ?? last.block.text).endsWith(':');
}

function fitting(sentences: readonly string[], charsMax: number): readonly string[] {
  let length = 0;
  const end = sentences.findIndex((sentence, at) => (length += sentence.length) > charsMax && at > 0);
  return end < 0 ? sentences : sentences.slice(0, end);
}

/** Prose by its sentences, each with its citation; lists, rows and code behind the citation of what leads to them. */
function written(quoted: readonly Quoted[], mark: string): string {
  let text = '';
  let before: Block['kind'] | null = null;
  let step = 0;
  for (const { block, sentences } of quoted) {
    const { kind } = block;
    const isList = kind === 'item' || kind === 'row';
    const line =
      kind === 'code' ? fenced(block) : isList ? listed(block, ++step) + mark : cited(sentences, mark);
    if (!isList) step = 0;
    text += before === null ? line : (isList && before === kind ? '\n' : '\n\n') + line;
    before = kind;
  }
  return text.includes(mark) ? text : `${text}\n\n${mark.trim()}`;
}

const cited = (sentences: readonly string[], mark: string): string =>
  sentences.map((one) => one + mark).join(' ');

function listed(block: Block, step: number): string {
  const text = block.kind === 'row' ? rowText(block) : block.text;
  return `${block.isStep ? `${step}.` : '-'} ${text}`;
}

/** Behind more marks than stand in it, or its own would end it. */
function fenced({ language, text }: Block): string {
  const inside = text.match(/`{3,}/g)?.map(({ length }) => length) ?? [];
  const mark = '`'.repeat(Math.max(2, ...inside) + 1);
  return `${mark}${language}\n${text}\n${mark}`;
}
