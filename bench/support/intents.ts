import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Sentence {
  readonly text: string;
  readonly intent: string;
}

/** What is searched, and what is searched with. */
export interface IntentSet {
  readonly name: string;
  readonly train: readonly Sentence[];
  readonly test: readonly Sentence[];
}

/** Customer messages with their intents, from a folder with `banking77` and `clinc150`; null when it lacks one. */
export function readIntents(folder: string): readonly IntentSet[] | null {
  const [train, test] = ['train', 'test'].map((part) => join(folder, 'banking77', `${part}.csv`));
  const clinc = join(folder, 'clinc150', 'data_full.json');
  if (train === undefined || test === undefined || ![train, test, clinc].every((path) => existsSync(path)))
    return null;
  const sets = JSON.parse(readFileSync(clinc, 'utf8')) as Readonly<
    Record<'train' | 'test', readonly (readonly [string, string])[]>
  >;
  const toSentences = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([text, intent]) => ({ text, intent }));
  return [
    { name: 'banking77', train: readRows(train), test: readRows(test) },
    { name: 'clinc150', train: toSentences(sets.train), test: toSentences(sets.test) },
  ];
}

/** `text,category`, the text in quotes where it holds a comma or a line end. */
function readRows(path: string): Sentence[] {
  const rows = readFileSync(path, 'utf8').matchAll(/^(?:"((?:[^"]|"")*)"|([^",\n]*)),([^,\n]+)$/gm);
  return [...rows].slice(1).map(([, quoted, plain, intent = '']) => ({
    text: quoted?.replaceAll('""', '"') ?? plain ?? '',
    intent: intent.trim(),
  }));
}

/** Those of every second intent by name: 0 to choose by, 1 to report. At most so many of each. */
export function pick(sentences: readonly Sentence[], half: 0 | 1, perIntent: number): readonly Sentence[] {
  const intents = [...new Set(sentences.map(({ intent }) => intent))].toSorted();
  const taken = new Map(intents.filter((_, index) => index % 2 === half).map((intent) => [intent, 0]));
  return sentences.filter(({ intent }) => {
    const count = taken.get(intent);
    if (count === undefined || count >= perIntent) return false;
    taken.set(intent, count + 1);
    return true;
  });
}
