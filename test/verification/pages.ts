import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

import type { Passage } from '../../src/features/verification/passages.ts';
import { splitSentences, toBlocks } from '../../src/features/models/feature.ts';
import { readmePackages } from '../search/readme-questions.ts';

const root = new URL('../../', import.meta.url);
/** A source as a search finds it has some passages of its page. Unit: characters. */
const passageChars = 6_000;

/** A sentence of a page, and the part of the page in which it stands. */
export interface Statement {
  readonly text: string;
  readonly passage: Passage;
  readonly page: string;
}

/** The READMEs that the lockfile pins, and the guide; dealt by the hash of their names into two halves. */
export async function readPages(half: 'tuning' | 'judged'): Promise<readonly Passage[]> {
  const pages: { readonly name: string; readonly file: URL }[] = [];
  for (const name of readmePackages) {
    const folder = new URL(`node_modules/${name}/`, root);
    const readme = (await readdir(folder)).find((one) => /^readme\.(?:md|markdown)$/i.test(one));
    if (readme !== undefined) pages.push({ name, file: new URL(readme, folder) });
  }
  const guide = new URL('docs/guide/', root);
  for (const name of await readdir(guide)) pages.push({ name: `guide/${name}`, file: new URL(name, guide) });
  const wanted = half === 'tuning' ? 0 : 1;
  const own = pages.filter(
    ({ name }) => Number.parseInt(hash('sha256', name).slice(0, 2), 16) % 2 === wanted,
  );
  const passages: Passage[] = [];
  for (const { name, file } of own)
    for (const text of cut(await readFile(file, 'utf8')))
      passages.push({ id: passages.length + 1, url: `http://pages/${name}`, title: name, text });
  return passages;
}

/** At paragraphs. */
function cut(text: string): readonly string[] {
  const parts: string[] = [];
  let open = '';
  for (const paragraph of text.split(/\n{2,}/)) {
    if (open.length + paragraph.length > passageChars && open !== '') {
      parts.push(open);
      open = '';
    }
    open += `${paragraph}\n\n`;
  }
  return open.trim() === '' ? parts : [...parts, open];
}

/** Sentences of prose of 8 to 40 words, in an order by their hash. */
export function toStatements(passages: readonly Passage[]): readonly Statement[] {
  const statements = passages.flatMap((passage) =>
    toBlocks(passage.text)
      .filter(({ kind }) => kind === 'prose' || kind === 'item')
      .flatMap(({ text }) => splitSentences(text))
      .filter((text) => {
        const words = text.split(' ').length;
        return (
          words >= 8 && words <= 40 && /^[`"*[(]?\p{Lu}.*[.:]$/u.test(text) && !/https?:|\]\[|!\[/.test(text)
        );
      })
      .map((text) => ({ text, passage, page: passage.url })),
  );
  return statements.toSorted((a, b) => (hash('sha256', a.text) < hash('sha256', b.text) ? -1 : 1));
}
