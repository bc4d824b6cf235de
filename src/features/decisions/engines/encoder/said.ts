import { stem } from '../../../../kernel/kit/stem.ts';
import { tokenize } from '../../../../kernel/kit/words.ts';
import { fillers, frames, negators, passed } from '../../words/lexicon.ts';
import { oppositeOfWord } from './opposites.ts';
import { rootOf } from './verbs.ts';

/** A clause of a state, in the words that it is compared by. */
export interface Clause {
  readonly text: string;
  readonly words: readonly string[];
  readonly roots: readonly string[];
  /** Places of words that deny what follows them. */
  readonly denials: readonly number[];
}

/** Text that is looked at. Unit: characters. */
const charsMax = 40_000;
/** How far behind a denial its reach goes. Unit: words. */
const reach = 6;

/** Log odds of what a clause says in the words of the statement, denies, or says of others than these. Set by hand. */
const strength = { said: 1.5, denied: -2, reversed: -1.8 };

const deniers = new Set([
  ...negators,
  ...tokenize('denies denied deny refuses refused declines declined lacks lack 0 zero without against'),
]);
/** A clause with one of these tells no fact. */
const unreal = new Set(
  tokenize('if whether unless would could should might may maybe perhaps please hope wish want wants'),
);
const universal = new Set(tokenize('all every each everything everyone everybody always only both'));
/** Those who are asked about, and what is done by telling. As parties ("the patient called the nurse") they count. */
export const subjects: ReadonlySet<string> = new Set(
  tokenize(
    'patient candidate applicant guest reviewer reader buyer employee report reports reported suffer suffers speak speaks hold holds experience note notes log post include includes included',
  ),
);
export const frame: ReadonlySet<string> = new Set(
  tokenize(
    'is are was were am be been being do does did has have had there what which who how when where why any some anything anyone anybody somebody someone still already yet ever by of from into at as or',
  ),
);

/** The end of `"refund_issued": false`. */
const emptyValue = /"[^"]*":\s?(?:null|false|0|""|\[\]|\{\}|"(?:no|none)")\s?[\]}]*$/;

/** Clauses of a text that say something; what is asked in it is left out. */
export function clausesOf(text: string): readonly Clause[] {
  const sentences = text.slice(0, charsMax).match(/[^.!?;\n]+[.!?;\n]*/g) ?? [];
  return sentences
    .filter((sentence) => !sentence.trimEnd().endsWith('?'))
    .flatMap((sentence) => sentence.split(/, |\bbut\b/))
    .map((clause) => {
      const words = tokenize(clause);
      const denials = words.flatMap((word, at) => (deniers.has(word) ? [at] : []));
      // What a key says is denied by its value, which comes behind it.
      const key = emptyValue.exec(clause)?.index;
      if (key !== undefined) denials.unshift(tokenize(clause.slice(0, key)).length - 1);
      return { text: clause.trim(), words, roots: words.map(rootOf), denials };
    })
    .filter(({ words }) => words.length > 0);
}

/**
 * Log odds of a statement by a clause that says it, or denies it, in its own words; null where none does. Of two parties the
 * order is compared as well: who calls whom.
 */
export function saidOf(statement: string, clauses: readonly Clause[], isTopical: boolean): number | null {
  const asked = tokenize(statement).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (asked.some((word) => universal.has(word) || negators.has(word))) return null;
  const parties = asked.filter((word) => !frame.has(word) && !passed.has(word));
  const telling = parties.filter((word) => !frames.has(word) && !fillers.has(word) && !subjects.has(word));
  if (telling.length === 0) return null;
  const found = clauses.flatMap((clause) => {
    const said = judge(clause, telling, parties, asked, isTopical);
    return said === null ? [] : [said];
  });
  if (found.length === 0) return null;
  return found.reduce((a, b) => a + b, 0) / found.length;
}

function judge(
  { words, roots, denials }: Clause,
  telling: readonly string[],
  parties: readonly string[],
  asked: readonly string[],
  isTopical: boolean,
): number | null {
  const places = telling.map((word) => placeOf(word, words, roots));
  if (places.some((place) => place === null)) return null;
  const at = places.map((place) => place?.at ?? 0);
  if (isTopical) return strength.said;
  if (words.some((word) => unreal.has(word)) && denials.length === 0) return null;
  const turns = places.filter((place) => place?.isOpposite).length;
  const isDenied = denials.some((denial) => at.some((place) => place > denial && place - denial <= reach));
  if ((turns % 2 === 1) !== isDenied) return strength.denied;
  return isReversed(parties, asked, words, roots) ? strength.reversed : strength.said;
}

function placeOf(
  word: string,
  words: readonly string[],
  roots: readonly string[],
): { readonly at: number; readonly isOpposite: boolean } | null {
  const own = roots.indexOf(rootOf(word));
  if (own >= 0) return { at: own, isOpposite: false };
  const opposite = oppositeOfWord(word) ?? (word.startsWith('un') ? word.slice(2) : `un${word}`);
  const other = words.indexOf(opposite);
  return other < 0 ? null : { at: other, isOpposite: true };
}

/** Whether first and last of what is named stand the other way round, where neither or both are passive. */
function isReversed(
  parties: readonly string[],
  asked: readonly string[],
  words: readonly string[],
  roots: readonly string[],
): boolean {
  if (parties.length < 3 || namesNoDoer(asked)) return false;
  const [first, last] = [parties[0] ?? '', parties.at(-1) ?? ''].map((word) => roots.indexOf(rootOf(word)));
  if (first === undefined || last === undefined || first < 0 || last < 0) return false;
  return first > last !== (asked.includes('by') !== words.includes('by'));
}

const passive = new Set(tokenize('is are was were be been being'));

/** "Was the old pump replaced?": who did it is not asked, and may stand before or behind. */
function namesNoDoer(asked: readonly string[]): boolean {
  const last = asked.at(-1) ?? '';
  const isDone = /(?:ed|en)$/.test(last) || rootOf(last) !== stem(last);
  return isDone && !asked.includes('by') && asked.some((word) => passive.has(word));
}
