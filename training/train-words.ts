/**
 * Trains the decider of word vectors on both intent sets and writes what it learned.
 * Usage: node training/train-words.ts [DATA_FOLDER] [OUTPUT]. About a minute on one core; seeded: the same data,
 * vectors and Node give the same bytes. The default data folder is ../shared/data.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { format } from 'prettier';

import type { Model } from '../src/features/decisions/words/model.ts';
import { loadWordVectors } from '../src/kernel/kit/word-vectors.ts';
import { readDataSets } from './data.ts';
import { shippedPlan, trainModel } from './train-model.ts';

export const modelPath: URL = new URL('../src/features/decisions/words/model.json', import.meta.url);

/** The file's bytes, formatted as the repository formats JSON. */
export async function toModelFile(model: Model): Promise<Buffer> {
  return Buffer.from(await format(JSON.stringify(model), { parser: 'json', printWidth: 110 }));
}

if (import.meta.main) {
  const [folder = '../shared/data', output = fileURLToPath(modelPath)] = process.argv.slice(2);
  const { clinc, banking } = readDataSets(resolve(folder));
  const bytes = await toModelFile(trainModel([clinc, banking], loadWordVectors(), shippedPlan));
  writeFileSync(output, bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  console.log(`${output}: ${bytes.length} bytes, sha256 ${digest}`);
}
