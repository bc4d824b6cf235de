import type { Asked, Question } from './question.ts';
import { isTimed } from './thing.ts';
import type { Unit } from './units.ts';
import { isContent, meansSame, stem } from './words.ts';

/** Questions that one fact answers: a unit without such a thing does not, and one is mostly enough. */
export const isFact = (asked: Asked): boolean => ['person', 'time', 'number', 'place'].includes(asked);

/** How the kind of thing that was asked for shows in a unit. */
const signs: Readonly<Record<Asked, RegExp>> = {
  time: /\b(?:1[0-9]|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b|\b\d{1,2}(?::\d\d| ?[ap]m)\b|\b(?:when(?:ever)?|once|after|before|until|as soon as)\b/,
  // Digits of names count nothing: UTF-8, ISO-8859-1.
  number:
    /(?<![\p{L}\d][-.]?)\d|\b(?:(?:exactly|only|at most|up to) one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion|half|twice|once)\b/iu,
  person: /^/,
  place: /\b(?:in|at|near|on|from|to|north|south|east|west)\b/i,
  reason:
    /\b(?:because|due to|caused?|so that|therefore|as a result|since|in order to|reasons?|leads? to)\b/i,
  definition: /^(?:the |an? )?(?:[\w"'()-]+ ){1,6}(?:is|are|was|were|means|refers to|denotes)\b/i,
  way: /^(?:to |use|run|set|add|open|click|press|call|put|install|create|choose|select|start|send|pass|specify|configure|enable|write)\b|\bby \w+ing\b|\bcan (?:be|also)\b|\bwith `/i,
  any: /^/,
};

/** Whether a unit names the kind of thing that was asked for. */
export function fits(
  { text, stems }: Unit,
  { asked, words, counted, isDuration, isPast }: Question,
): boolean {
  const isNew = (word: string): boolean => {
    const key = stem(word.toLowerCase());
    return !words.some(({ stem: known }) => known === key);
  };
  if (asked === 'any') return stems.size > 0;
  if (!signs[asked].test(asked === 'number' ? counts(text, counted) : text)) return false;
  if (asked === 'time' && isPast && !dated.test(text)) return false;
  if (isDuration && !isTimed(text)) return false;
  if (counted !== null && ![...stems].some((one) => meansSame(counted, one))) return false;
  if (asked !== 'person' && asked !== 'place') return true;
  if (asked === 'place')
    return wordsOf(text)
      .slice(1)
      .some((word) => isName(word) && isNew(word));
  return namesOf(text).some((name) => name.some(isNew)) || credit.test(text) || handle.test(text);
}

/** What happened has a date or a version, and no condition. */
const dated =
  /\b(?:1\d|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|\bv?\d+\.\d|\b(?:v|[Vv]ersion |Node(?:\.js)? )\d/;

/** Without names that have a number of their own, RFC 3492, and where something else is counted without times. */
function counts(text: string, counted: string | null): string {
  if (counted === null) return text.replaceAll(numbered, '');
  return text.replaceAll(versions, '').replaceAll(numbered, '').replaceAll(times, '');
}

/** Nothing is counted by 2.1, unless it is millions. */
const versions = /\bv?\d+(?:\.\d+)+\b(?! ?(?:thousand|million|billion|[kM]\b))/g;
const numbered = /\b[A-Z]{2,8} \d+/g;
const times =
  /\b(?:[\d.]+ (?:to|or|-) )?[\d.]+ ?(?:ms|s|(?:milli)?seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b/gi;

/** How those are named who made something, also by one name. */
const credit =
  /\b(?:by|author|inventor|creator|maintainer|copyright|©)\b[^.]{0,40}(?<![\p{L}`])\p{Lu}\p{Ll}|\p{Lu}\p{Ll}+['’]s\s/u;

/** A person by the name of an account, or by an address: `@ljharb`. */
const handle = /(?<![\w/])@[a-z][\w-]+(?![\w/-])|[\w+-]@[\w-]+\.\w/i;

const wordsOf = (text: string): readonly string[] =>
  text.split(' ').map((word) => word.replaceAll(/[^\p{L}]/gu, ''));
/** `JavaScript` and `YAML` name no person. */
const isName = (word: string): boolean =>
  /^(?:(?:Mc|Mac|De|Van|O)\p{Lu})?\p{Lu}?\p{Ll}+$/u.test(word) && /^\p{Lu}/u.test(word);

/** Words with capitals that stand beside each other, as the names of people do. */
function namesOf(text: string): readonly (readonly string[])[] {
  const words = wordsOf(text);
  return words.flatMap((word, at) => {
    const next = words[at + 1] ?? '';
    return [word, next].every((one) => isName(one) && isContent(one.toLowerCase())) ? [[word, next]] : [];
  });
}
