import type { SourcePassage } from '../../model.ts';

/** A title that is a name and no word: `fast-check`, `pTimeout`, `ipaddr.js`. */
const nameLike = /^@?[\p{L}\p{N}]+(?:[-._/][\p{L}\p{N}]+)+$|^\p{Ll}+\p{Lu}\p{L}+$/u;

/**
 * Sources in their order, those first whose name stands in the question: another with nearly the same name may say the
 * same words about itself, and be found before it.
 */
export function namedFirst(question: string, sources: readonly SourcePassage[]): readonly SourcePassage[] {
  const text = question.toLowerCase();
  const isNamed = ({ title }: SourcePassage): boolean => {
    const name = title.trim().toLowerCase();
    const at = text.indexOf(name);
    if (at < 0 || !nameLike.test(title.trim())) return false;
    return !/[\p{L}\p{N}]/u.test(`${text[at - 1] ?? ''}${text[at + name.length] ?? ''}`);
  };
  return [...sources.filter((one) => isNamed(one)), ...sources.filter((one) => !isNamed(one))];
}

/** What a page is about by its title and the end of its address, which may be a name where the title is "Usage". */
export const toSubject = (source: SourcePassage | undefined): string =>
  source === undefined ? '' : `${source.title} ${addressEnd.exec(source.url)?.[0] ?? ''}`;

const addressEnd = /(?:\/[^/?#]+){1,2}\/?(?=$|[?#])/;
