import { hash } from 'node:crypto';
import { rowText, splitSentences, toBlocks } from '../models/feature.ts';
import { isJoining, keysOf, toLexemes, type Lexeme } from './lexemes.ts';
import { toPlain, toQuoteKey } from './plain-text.ts';

/** What an answer may rest on: the text of a source as its writer was shown it. */
export interface Passage {
  /** The text cites it as `[1]`. */
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

/** A sentence, an item, a row or a line of code of a passage. */
export interface PassageUnit {
  readonly text: string;
  readonly lexemes: readonly Lexeme[];
  /** Keys of all lexemes. */
  readonly keys: ReadonlySet<string>;
  /** Among the units of its passage. */
  readonly place: number;
  readonly headings: string;
}

export interface ReadPassage extends Passage {
  readonly sha256: string;
  /** For quotes. */
  readonly quoteKey: string;
  readonly units: readonly PassageUnit[];
  /** Keys of its title and its headings. */
  readonly headings: ReadonlySet<string>;
  /** Keys of everything in it, title and address included. */
  readonly keys: ReadonlySet<string>;
}

const unitsMax = 4_000;

/** Reads a passage in steps, so that long ones keep nobody waiting. */
export function* readPassage(passage: Passage): Generator<void, ReadPassage> {
  const { text, title, url } = passage;
  const units: PassageUnit[] = [];
  /** As Nestor's own answers write them, with the names of their columns. */
  const rows: string[] = [];
  const keys = new Set<string>();
  const named = new Set<string>();
  const note = (lexemes: readonly Lexeme[], into: readonly Set<string>[]) => {
    for (const key of lexemes.flatMap(keysOf)) for (const set of into) set.add(key);
  };
  note(toLexemes(`${title} ${url.replaceAll(/[/:._-]+/g, ' ')}`), [keys, named]);
  yield;
  const blocks = toBlocks(text);
  yield;
  for (const block of blocks) {
    const headings = toPlain(block.headings.join(' '));
    note(toLexemes(headings), [keys, named]);
    if (block.kind === 'row') rows.push(rowText(block));
    for (const one of block.kind === 'prose' ? splitSentences(block.text) : block.text.split('\n')) {
      const plain = block.kind === 'code' ? one.trim() : toPlain(one);
      if (plain === '' || units.length >= unitsMax) continue;
      const lexemes = toLexemes(plain);
      note(lexemes, [keys]);
      const own = new Set(lexemes.flatMap(keysOf));
      units.push({ text: plain, lexemes, keys: own, place: units.length, headings });
      yield;
    }
  }
  return {
    ...passage,
    sha256: hash('sha256', text),
    quoteKey: [text, ...rows].map((one) => ` ${toQuoteKey(one)} `).join('\n'),
    units,
    headings: named,
    keys,
  };
}

export type Rarity = (key: string) => number;

/** How rare the words of passages are among their units: what every sentence has says little. */
export function createRarity(passages: readonly ReadPassage[]): Rarity {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { units } of passages)
    for (const { keys } of units) {
      all++;
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const most = Math.log(all + 2);
  return (key) =>
    isJoining(key) ? 0 : 0.3 + (0.7 * Math.log((all + 2) / ((counts.get(key) ?? 0) + 1))) / most;
}
