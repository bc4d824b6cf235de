import type { Distribution, NormalizedQuestion } from '../engine.ts';
import type { Token } from './asked.ts';
import { Cursor, Phrases, phrases } from './cursor.ts';
import { certaintyOfLead, hitsOfLanguages } from './detectors/language.ts';
import { languageCodes } from './detectors/language-words.ts';
import type { Reading } from './reading.ts';
import { toChoice, turnedBy, type Verdict, verdict } from './verdict.ts';
import { takeNot, takePerson, takeText, takeTextNoun } from './wording.ts';

const languageNames = new Phrases(languageCodes.keys());
const codes: ReadonlySet<string> = new Set(languageCodes.values());
const be = phrases('is|are|was');
const doing = phrases('does|do|did|has');
const written = phrases('written in|in|written mainly in|mostly in|mainly in|entirely in|composed in');
const writing = phrases('write in|writes in|wrote in|writing in|written in|writing');
const speaking = phrases('speak|speaks');
/** Who writes a language speaks it as a rule; what else somebody speaks, no text shows. */
const spoken = 0.85;
const article = phrases('a|an|the');
const theLanguage = phrases('the language|the language used|its language');
const of = phrases('of|used in|in');

/** "is the text in German", "does the customer write in French", "the message is not English" */
export function readLanguageStatement(tokens: readonly Token[], reading: Reading): Verdict | null {
  if (!languageNames.areIn(tokens)) return null;
  const read = namedLanguage(new Cursor(tokens));
  if (read === null) return null;
  // "He speaks German" may be told in a text in English.
  if (read.isTold && mentions(reading.text, read.code)) return null;
  const hits = hitsOfLanguages(reading.text);
  const own = hits.get(read.code) ?? 0;
  const others = Math.max(0, ...[...hits].filter(([code]) => code !== read.code).map(([, count]) => count));
  if (read.isSpoken && own <= others) return null;
  const certainty = certaintyOfLead(Math.abs(own - others));
  return turnedBy(
    verdict(own >= others, read.isSpoken ? Math.min(spoken, certainty) : certainty),
    read.isDenied,
  );
}

interface NamedLanguage {
  readonly code: string;
  readonly isDenied: boolean;
  /** Somebody's language is asked for, or that of a reply: the text may tell it. */
  readonly isTold: boolean;
  readonly isSpoken: boolean;
}

function mentions(text: string, code: string): boolean {
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  return [...languageCodes].some(([name, own]) => own === code && name !== code && words.has(name));
}

function namedLanguage(cursor: Cursor): NamedLanguage | null {
  const asks = cursor.take(be);
  let isDenied = takeNot(cursor);
  if (cursor.take(theLanguage) !== null) {
    if (cursor.take(of) !== null && !takeText(cursor)) return null;
    if (asks === null && cursor.take(be) === null) return null;
    if (takeNot(cursor)) isDenied = !isDenied;
    return ended(cursor, { isDenied, isTold: true, isSpoken: false });
  }
  if (asks === null) cursor.take(doing);
  const start = cursor.at;
  if (takePerson(cursor)) {
    if (cursor.take(be) === null) cursor.take(doing);
    if (takeNot(cursor)) isDenied = !isDenied;
    const isSpoken = cursor.take(speaking) !== null;
    if (!isSpoken && cursor.take(writing) === null) return null;
    return ended(cursor, { isDenied, isTold: true, isSpoken });
  }
  cursor.backTo(start);
  const isReply = cursor.holds(replies);
  const isNoun = takeTextNoun(cursor);
  if (!isNoun && !takeText(cursor)) return null;
  cursor.take(be);
  if (takeNot(cursor)) isDenied = !isDenied;
  if (cursor.take(written) !== null) return ended(cursor, { isDenied, isTold: isReply, isSpoken: false });
  // "is it French" may ask for a wine.
  const isKind = cursor.take(article) !== null;
  const code = languageCodes.get(cursor.take(languageNames) ?? '');
  if (code === undefined || (isKind && !takeTextNoun(cursor)) || !(isKind || isNoun)) return null;
  return cursor.isDone ? { code, isDenied, isTold: isReply, isSpoken: false } : null;
}

function ended(cursor: Cursor, asked: Omit<NamedLanguage, 'code'>): NamedLanguage | null {
  const code = languageCodes.get(cursor.take(languageNames) ?? '');
  return code === undefined || !cursor.isDone ? null : { code, ...asked };
}

const replies = phrases('reply|response|answer|transcript|conversation|passage');

const which = phrases('what|which|in what|in which');
const language = phrases('language');
const asking = phrases(
  'detect|identify|classify|name|recognize|recognise|determine|language of|the language of',
);
const uses = phrases('write in|writing in|use|speak|write');
const using = phrases('writing in|using|writing|speaking');
const writtenIn = phrases('written in|written|in');
const remainders = new Set([
  'other',
  'another',
  'else',
  'unknown',
  'another language',
  'other language',
  'none',
  'none of these',
  'none of the above',
  'none of them',
  'another one',
  'something else',
  'any other',
  'others',
  'not listed',
]);

/** "which language is this", with languages as options. */
export function chooseLanguage(
  tokens: readonly Token[],
  { kind, options }: NormalizedQuestion,
  reading: Reading,
): Distribution | null {
  if (kind !== 'choice' || !language.areIn(tokens) || !options.every(({ description }) => description === ''))
    return null;
  if (!asksLanguage(new Cursor(tokens))) return null;
  const named = options.map(({ name }) => codeOf(name));
  const other = options.findIndex(({ name }) => remainders.has(name.trim().toLowerCase()));
  if (!named.every((code, at) => code !== null || at === other)) return null;
  if (new Set(named).size < named.length) return null;
  const hits = hitsOfLanguages(reading.text);
  const [first, next] = [...hits].toSorted(([, a], [, b]) => b - a);
  const [best, most] = first ?? ['', 0];
  const second = next?.[1] ?? 0;
  if (most === second) return most === 0 ? options.map(() => 1 / options.length) : null;
  const right = named.indexOf(best) >= 0 ? named.indexOf(best) : other;
  return right < 0 ? null : toChoice(options.length, right, certaintyOfLead(most - second));
}

function asksLanguage(cursor: Cursor): boolean {
  if (cursor.take(asking) !== null) {
    cursor.take(article);
    if (cursor.take(language) !== null)
      return cursor.isDone || (cursor.take(of) !== null && takeText(cursor) && cursor.isDone);
    return takeText(cursor) && cursor.isDone;
  }
  const asks = cursor.take(which) !== null;
  if (asks && cursor.take(be) !== null) {
    if (cursor.take(theLanguage) === null) return false;
    return cursor.isDone || (cursor.take(of) !== null && takeText(cursor) && cursor.isDone);
  }
  if (cursor.take(language) === null) return false;
  if (cursor.isDone) return true;
  if (!asks) return cursor.take(of) !== null && takeText(cursor) && cursor.isDone;
  if (cursor.take(be) === null) {
    if (cursor.take(doing) === null || !takePerson(cursor)) return false;
    return cursor.take(uses) !== null && cursor.isDone;
  }
  if (takePerson(cursor)) return cursor.take(using) !== null && cursor.isDone;
  if (!takeText(cursor)) return false;
  cursor.take(writtenIn);
  return cursor.isDone;
}

function codeOf(name: string): string | null {
  const plain = name.trim().toLowerCase();
  return languageCodes.get(plain) ?? (codes.has(plain) ? plain : null);
}
