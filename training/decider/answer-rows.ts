/**
 * What the reader learns answers from: for every question of `answers/`, what stands in the pages that a search finds, and
 * whether it answers.
 *
 *     node training/decider/answer-rows.ts PAGES OUT
 *
 * PAGES holds the READMEs as `NAME@VERSION.md`. OUT gets one question a line: its page, and its candidates, best by their words
 * first, each with the text that is read, whether it answers (`right`), and whether what answers stands beside it (`beside`).
 */
import { hash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { emptyRequest, type SourcePassage } from '../../src/features/models/model.ts';
import { namedFirst } from '../../src/features/models/providers/extractive/by-name.ts';
import { toReading } from '../../src/features/models/providers/extractive/by-reader.ts';
import { toQuestion } from '../../src/features/models/providers/extractive/question.ts';
import { rank } from '../../src/features/models/providers/extractive/rank.ts';
import { readPassages } from '../../src/features/models/providers/extractive/units.ts';
import { loadWordVectors } from '../../src/kernel/kit/word-vectors.ts';
import { openTestIndex } from '../../test/search/index-support.ts';

interface Written {
  readonly page: string;
  readonly question: string;
  readonly answer: string | null;
}

/** By their words; more that answer are taken from below, and some that do not, by chance. */
const candidatesMax = 16;
const rightMax = 3;
const othersMax = 6;

const [pages, out] = process.argv.slice(2);
if (pages === undefined || out === undefined) throw new Error('answer-rows.ts PAGES OUT');
const signal = new AbortController().signal;
const answers = new URL('answers/', import.meta.url);
const written = readdirSync(answers)
  .filter((name) => name.endsWith('.jsonl'))
  .toSorted()
  .flatMap((name) => readFileSync(new URL(name, answers), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line) as Written);

const ends: (() => unknown)[] = [];
const index = await openTestIndex({ after: (end: () => unknown) => void ends.push(end) });
for (const file of readdirSync(pages).toSorted()) {
  const path = join(pages, file);
  const page = basename(file, '.md');
  const address = `http://packages/${page.replace(/@[^@]*$/, '').replace('__', '/')}`;
  const read = await index.parts.reader.extract(
    readFileSync(path),
    'text/markdown',
    `${address}/README.md`,
    signal,
  );
  await index.put(address, read);
}

const digestOf = (...texts: readonly string[]): string => hash('sha256', texts.join('\n'));
/** Words alone, so that markup and line ends do not matter. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const vectors = loadWordVectors();
writeFileSync(out, '');
for (const { page, question: text, answer } of written) {
  const wanted = answer === null ? null : plain(answer);
  const says = (said: string): boolean => wanted !== null && plain(said).includes(wanted);
  const found = (await index.find(text)).map(({ title, url, snippet }, at): SourcePassage => ({
    id: at + 1,
    title,
    url,
    text: snippet,
  }));
  const question = toQuestion({
    ...emptyRequest,
    turns: [{ role: 'user', parts: [{ type: 'text', text }] }],
  });
  const sources = namedFirst(text, found, vectors);
  const read = readPassages(sources);
  const ranked = rank(question, sources, read, vectors);
  const right = ranked.filter(({ unit }) => says(unit.text)).slice(0, rightMax);
  const others = ranked
    .slice(candidatesMax)
    .toSorted((a, b) => (digestOf(text, a.unit.text) < digestOf(text, b.unit.text) ? -1 : 1))
    .slice(0, othersMax);
  const best = ranked.slice(0, candidatesMax);
  const candidates = [...new Set([...best, ...right, ...others])].map((one) => ({
    text: toReading(one.unit, sources[one.unit.passage], read),
    right: says(one.unit.text),
    beside: says(read[one.unit.passage]?.blocks[one.unit.block]?.text ?? ''),
    best: best.includes(one),
  }));
  appendFileSync(
    out,
    `${JSON.stringify({ page, question: text, isAnswered: answer !== null, candidates })}\n`,
  );
}
for (const end of ends) await end();
