import { tokenize } from '../../../../kernel/kit/words.ts';
import { fillers, frames, negators, passed, topicCues } from '../../words/lexicon.ts';
import { concepts as named, spoken } from './concept-words.ts';
import fitted from './concepts.json' with { type: 'json' };

/** A direction among the vectors of texts, fitted by `training/fit-concepts.ts` to texts that were graded by hand. */
interface Direction {
  readonly bias: number;
  readonly weights: readonly number[];
}

/** What a question asks of a concept. */
export interface AskedConcept {
  readonly name: string;
  /** -1 where it asks for the opposite. */
  readonly sign: 1 | -1;
  /** How much of what the question says the concept covers, above 0 and at most 1. */
  readonly share: number;
}

const directions: Readonly<Record<string, Direction | undefined>> = fitted;

const signs: ReadonlyMap<string, ReadonlyMap<string, 1 | -1>> = new Map(
  named.map(({ name, words }) => [
    name,
    new Map(
      words
        .split('|')
        .flatMap((side, at) => tokenize(side).map((word): [string, 1 | -1] => [word, at === 0 ? 1 : -1])),
    ),
  ]),
);

/** Words that say how much, and not of what. */
const degrees: ReadonlyMap<string, 1 | -1> = new Map([
  ...tokenize(
    `very extremely extreme high highest highly severe completely fully maximum max immediately now much major strongly strong critical
     excellent always best full entirely`,
  ).map((word): [string, 1 | -1] => [word, 1]),
  ...tokenize(
    'no not none low lowest nothing little slight slightly minimal minimum barely never mild mildly minor worst least trivial',
  ).map((word): [string, 1 | -1] => [word, -1]),
]);

/** Words beside those of a concept that ask for nothing more: "a personal attack", "signs of fraud", "immediate attention". */
const besides: ReadonlySet<string> = new Set(
  tokenize(
    `how what which there is are was were personal data attempt sign signs require requires required needed action attention response
     level scale concern issue problem risk question look looks rate case matter kind clear potential possible possibly serious seriously probably likely tone language
     note notes report reports reported reporting log logs agent team incident event show shows describes worst any anything something someone
     comment comments post posts review reviews reviewer mail tweet reply thread transcript ticket tickets chat call letter description input document`,
  ),
);

/** Words that ask for a concept or for its opposite. */
export const wordsOfConcept = (name: string): ReadonlySet<string> => new Set(signs.get(name)?.keys());

/** The concept that a statement asks for, and nothing much beside it; null where there is none. */
export function conceptOf(
  statement: string,
  isAsked: (name: string) => boolean = () => true,
): AskedConcept | null {
  const tokens = tokenize(spoken.reduce((text, [said, word]) => text.replaceAll(said, word), statement));
  if (tokens.some((token) => topicCues.has(token))) return null;
  const isTelling = (token: string) =>
    /[\p{L}\p{N}]/u.test(token) &&
    ![frames, fillers, passed, negators, besides, degrees].some((known) => known.has(token));
  const found = named
    .filter(({ name }) => isAsked(name))
    .flatMap(({ name }) => {
      const known = signs.get(name);
      const own = tokens.filter((token) => known?.has(token));
      const sign = known?.get(own[0] ?? '');
      if (sign === undefined) return [];
      const others = tokens.filter((token) => isTelling(token) && !known?.has(token)).length;
      return [{ name, sign, share: own.length / (own.length + others) }];
    });
  return found.reduce<AskedConcept | null>(
    (best, one) => (best === null || one.share > best.share ? one : best),
    null,
  );
}

/** The concept that the levels of a score tell of, and whether the highest has most of it; null where none does. */
export function conceptOfLevels(question: string, levels: readonly string[]): AskedConcept | null {
  const asked = conceptOf(question) ?? conceptOf(levels.join(' '));
  if (asked === null) return null;
  const known = signs.get(asked.name) ?? new Map<string, 1 | -1>();
  const [lowest, highest] = [levels[0], levels.at(-1)].map((level) => sideOf(level ?? '', known));
  const rise = Math.sign((highest ?? 0) - (lowest ?? 0));
  return { ...asked, sign: rise === 0 ? asked.sign : rise > 0 ? 1 : -1 };
}

/** Whether a level has much of a concept or little; 0 where its words do not say. */
function sideOf(level: string, known: ReadonlyMap<string, 1 | -1>): number {
  const tokens = tokenize(level);
  const isDenied = tokens.some((token) => negators.has(token));
  const own = tokens.flatMap((token) => known.get(token) ?? []);
  const [first] = own.length > 0 ? own : tokens.flatMap((token) => degrees.get(token) ?? []);
  return own.length > 0 && isDenied ? -(first ?? 0) : (first ?? 0);
}

/** Log odds that a text has much of a concept. */
export function gradeOf(name: string, text: Float32Array): number {
  const { bias, weights } = directions[name] ?? { bias: 0, weights: [] };
  return weights.reduce((sum, weight, i) => sum + weight * (text[i] ?? 0), bias);
}
