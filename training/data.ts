import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text and its label as the data set writes it. */
export type Labelled = readonly [text: string, label: string];

export interface DataSet {
  readonly name: string;
  readonly labels: readonly string[];
  readonly train: readonly Labelled[];
  readonly test: readonly Labelled[];
  /** Texts that fit no label. */
  readonly outside: readonly string[];
}

/** Reads both intent sets from `shared/data`. */
export function readDataSets(folder: string): { readonly clinc: DataSet; readonly banking: DataSet } {
  const json = readFileSync(join(folder, 'clinc150/data_full.json'), 'utf8');
  const raw = JSON.parse(json) as Readonly<Record<string, readonly Labelled[]>>;
  const outside = (raw['oos_test'] ?? []).map(([text]) => text);
  const csv = (name: string): readonly Labelled[] =>
    parseCsv(readFileSync(join(folder, `banking77/${name}.csv`), 'utf8'));
  return {
    clinc: toDataSet('clinc150', raw['train'] ?? [], raw['test'] ?? [], outside),
    banking: toDataSet('banking77', csv('train'), csv('test'), outside),
  };
}

function toDataSet(
  name: string,
  train: readonly Labelled[],
  test: readonly Labelled[],
  outside: readonly string[],
): DataSet {
  return { name, train, test, outside, labels: [...new Set(test.map(([, label]) => label))].sort() };
}

/** The part of a set that knows only some of its labels. */
export function withLabels(set: DataSet, isKept: (index: number) => boolean): DataSet {
  const labels = set.labels.filter((_, i) => isKept(i));
  const kept = new Set(labels);
  const only = (rows: readonly Labelled[]): readonly Labelled[] =>
    rows.filter(([, label]) => kept.has(label));
  return { ...set, labels, train: only(set.train), test: only(set.test) };
}

/** Rows of a two-column CSV with quoted fields that may hold line ends; the heading is left out. */
function parseCsv(text: string): readonly Labelled[] {
  const rows = text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*)),([^\r\n]*)\r?\n/g);
  return [...rows]
    .slice(1)
    .map((row): Labelled => [(row[1] ?? row[2] ?? '').replaceAll('""', '"').trim(), row[3] ?? '']);
}

export function pick<T>(random: () => number, list: readonly T[]): T {
  const value = list[Math.floor(random() * list.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}
