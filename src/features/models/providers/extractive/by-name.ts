import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { SourcePassage } from '../../model.ts';

/** A title that is a name and no word: `fast-check`, `pTimeout`, `ipaddr.js`. */
const nameLike = /^@?[\p{L}\p{N}]+(?:[-._/][\p{L}\p{N}]+)+$|^\p{Ll}+\p{Lu}\p{L}+$/u;
const oneWord = /^[\p{L}\p{N}]{2,}$/u;

/**
 * Sources in their order, those first whose name stands in the question: another with nearly the same name may say the
 * same words about itself, and be found before it.
 */
export function namedFirst(
  question: string,
  sources: readonly SourcePassage[],
  vectors: WordVectors,
): readonly SourcePassage[] {
  const text = question.toLowerCase();
  const isNamed = (source: SourcePassage): boolean =>
    [source.title.trim(), addressName(source.url)].some(
      (name) => isName(name, vectors) && isIn(text, name.toLowerCase()),
    );
  return [...sources.filter((one) => isNamed(one)), ...sources.filter((one) => !isNamed(one))];
}

/** Whether it names a thing. One word does where it is none of English: `undici`. */
export const isName = (title: string, vectors: WordVectors): boolean =>
  nameLike.test(title) || (oneWord.test(title) && vectors.rowOf(title.toLowerCase()) < 0);

/** Whether a name stands there as a whole, and not as a part of another: `fastify` in `@fastify/cors`. */
function isIn(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/[\p{L}\p{N}@/_-]/u.test(`${text[at - 1] ?? ''}${text[at + name.length] ?? ''}`);
}

/** The last part of an address that names anything: not `README.md`. */
export function addressName(url: string): string {
  const parts = url.replace(/[?#].*$/s, '').split('/');
  const named = parts.filter((part, at) => at > 2 && part !== '' && !unnamed.test(part));
  return (named.at(-1) ?? '').replace(/\.(?:md|html?)$/i, '');
}

const unnamed = /^(?:readme|index)(?:\.\w+)?$/i;

/** What a page is about by its title and the end of its address, which may be a name where the title is "Usage". */
export const toSubject = (source: SourcePassage | undefined): string =>
  source === undefined ? '' : `${source.title} ${addressEnd.exec(source.url)?.[0] ?? ''}`;

const addressEnd = /(?:\/[^/?#]+){1,2}\/?(?=$|[?#])/;
