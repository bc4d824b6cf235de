import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { shuffle } from '../../src/features/decisions/evaluation/sample.ts';
import type { Claim, Claims } from './pools.ts';

/** How much of a statement holds, given the text before it. */
const truths: Readonly<Record<string, number>> = { entailment: 1, neutral: 0.5, contradiction: 0 };

/** Captions of pictures and what follows from them, is open, or cannot be: the test rows of SNLI alone. */
export function readCaptions(folder: string, count: number): Claims {
  const root = join(folder, 'dataset/eSNLI');
  const lines = (name: string) => readFileSync(join(root, name), 'utf8').trim().split('\n').map(unspace);
  const [states, statements, labels] = [lines('s1.test'), lines('s2.test'), lines('labels.test')];
  const claims = states.map((state, index): Claim => [
    state,
    statements[index] ?? '',
    null,
    truths[labels[index] ?? ''] ?? 0.5,
  ]);
  return {
    name: 'captions',
    source: 'OanaMariaCamburu/e-SNLI 7b585a3f077f, test rows of SNLI',
    licence: 'MIT (the repository), CC BY-SA 4.0 (SNLI)',
    claims: shuffle(claims, 13).slice(0, count),
  };
}

/** Captions that say the same, may go together or cannot, and what has nothing to do with them. None is trained on. */
export function judgedPairs(folder: string, count: number) {
  const root = join(folder, 'dataset/eSNLI');
  const lines = (name: string) => readFileSync(join(root, name), 'utf8').trim().split('\n').map(unspace);
  const [first, second, labels] = [lines('s1.dev'), lines('s2.dev'), lines('labels.dev')];
  const pairs = first.map((text, index) => [text, second[index] ?? '', labels[index] ?? ''] as const);
  const others = first.map(
    (text, index) => [text, second[(index + 4001) % second.length] ?? '', 'other'] as const,
  );
  return [...shuffle(pairs, 23).slice(0, count), ...shuffle(others, 23).slice(0, count / 3)];
}

/** Sentences with quantifiers and denials, and what follows from them. */
export function readQuantities(folder: string, count: number): Claims {
  const [head = '', ...lines] = readFileSync(join(folder, 'MED.tsv'), 'utf8').trim().split('\n');
  const columns = head.split('\t');
  const claims = lines.map((line): Claim => {
    const fields = line.split('\t');
    const at = (name: string) => fields[columns.indexOf(name)]?.trim() ?? '';
    return [at('sentence1'), at('sentence2'), null, truths[at('gold_label')] ?? 0.5];
  });
  return {
    name: 'quantities',
    source: 'verypluming/MED 860ba36ce95e',
    licence: 'CC BY-SA 4.0',
    claims: shuffle(claims, 17).slice(0, count),
  };
}

/** Undoes the spaces that tokenizers of sets leave: `fighting outside a deli .` */
const unspace = (text: string): string =>
  text
    .trim()
    .replaceAll(/ (?=[.,?!])/g, '')
    .replaceAll(" '", "'");
