import type { SourcePassage } from '../../model.ts';
import { toSubject } from './by-name.ts';

/** Signs of code inside of a word: `a.b=c`, `--flag`, `$defs`, `user[id]`. */
const signs = /[=[\](){}$<>_*\\|&^]|^--?[a-z]|^\.[a-z]|[\p{L}\d]\.[\p{L}\d]/u;
/** Around a word. Looked for from the first of them alone, so that many take no longer in proportion. */
const marks = /^["'“”‘’`]+|(?<!["'“”‘’`?!.,:;])["'“”‘’`?!.,:;]+$/gu;
const literalsMax = 8;
const charsMax = 60;

/**
 * What a question has as code, word for word, but for the names of sources: who asks what `--flag` does has seen it. Letters
 * that stand alone are looked for in the marks of code.
 */
export function toLiterals(question: string, sources: readonly SourcePassage[]): readonly string[] {
  const subjects = sources.map((one) => toSubject(one).toLowerCase());
  const words = question.split(/\s+/).map((word) => word.replaceAll(marks, ''));
  // A name alone asks what it is, and not where it stands.
  if (words.length < 2) return [];
  return words
    .flatMap((word, at) => {
      if (at > 0 && /^[B-HJ-Z]$/.test(word)) return [`\`${word}\``];
      if (word.length > charsMax || subjects.some((subject) => subject.includes(word.toLowerCase())))
        return [];
      return word.length > 3 && signs.test(word) && !word.includes('://') ? [word] : [];
    })
    .slice(0, literalsMax);
}
