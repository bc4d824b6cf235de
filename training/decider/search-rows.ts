/**
 * What the encoder learns searches from: the windows of every page, and what is searched and asked with the pages that serve.
 *
 *     node training/decider/search-rows.ts PAGES OUT
 *
 * PAGES holds the READMEs as `NAME@VERSION.md`. OUT gets a page a line, with its windows and the number of the passage of each, and then
 * a query a line: its page, and the windows that hold its answer, which are all of the page where nothing says which.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { passageWindows } from '../../src/features/index/windows.ts';
import { openTestIndex } from '../../test/search/index-support.ts';

interface Query {
  readonly page: string;
  readonly query?: string;
  readonly question?: string;
  readonly answer?: string | null;
}

/** As the index makes them for the encoder. Unit: UTF-16 units. */
const windowUnits = 500;

const [pages, out] = process.argv.slice(2);
if (pages === undefined || out === undefined) throw new Error('search-rows.ts PAGES OUT');
const { signal } = new AbortController();
const read = (folder: string): readonly Query[] =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) =>
      readFileSync(new URL(`${folder}${name}`, import.meta.url), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as Query);
/** Words alone, so that markup and line ends do not matter. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const ends: (() => unknown)[] = [];
const { parts } = await openTestIndex({ after: (end: () => unknown) => void ends.push(end) });
const windowsOf = new Map<string, readonly string[]>();
const lines: string[] = [];
for (const file of readdirSync(pages).toSorted()) {
  const page = basename(file, '.md');
  const url = `http://packages/${page.replace(/@[^@]*$/, '').replace('__', '/')}`;
  const text = await parts.reader.extract(
    readFileSync(join(pages, file)),
    'text/markdown',
    `${url}/README.md`,
    signal,
  );
  const origin = { sourceId: '', url, hash: '', etag: null, lastModified: null, fetchedAtMs: 0 };
  const { title, passages } = await parts.maker.split(text, origin, signal);
  const windows = passages.map((passage) => passageWindows({ title, ...passage }, windowUnits));
  windowsOf.set(page, windows.flat().map(plain));
  lines.push(JSON.stringify({ page, windows }));
}
for (const { page, query, question, answer } of [...read('searches/'), ...read('answers/')]) {
  const windows = windowsOf.get(page) ?? [];
  const said = typeof answer === 'string' ? plain(answer) : null;
  const holds = windows.flatMap((text, at) => (said !== null && text.includes(said) ? [at] : []));
  const kind = query === undefined ? (holds.length > 0 ? 'answered' : 'asked') : 'searched';
  lines.push(JSON.stringify({ page, query: query ?? question, kind, windows: holds }));
}
writeFileSync(out, `${lines.join('\n')}\n`);
for (const end of ends) await end();
