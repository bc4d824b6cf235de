import { tokenize } from '../../../../kernel/kit/words.ts';
import type { NormalizedQuestion } from '../../engine.ts';
import { fillers, frames, negators, passed } from '../../words/lexicon.ts';
import { conceptOfLevels, wordsOfConcept } from './concepts.ts';
import { oppositeOfWord } from './opposites.ts';
import { frame, subjects, type Clause } from './said.ts';
import type { Asked } from './texts.ts';
import { rootOf } from './verbs.ts';

/** Who judges, and what says that somebody does, name nothing that is judged. */
const judging: ReadonlySet<string> = new Set(
  tokenize(
    `customer user client author writer viewer student visitor diner tenant caller person people they he she who find finds found
     feel feels felt feeling feelings think thinks say says tone mood attitude toward towards life experience opinion about overall`,
  ),
);
const judgements = wordsOfConcept('satisfaction');
/** A clause that begins so goes on about what the one before it names. */
const goingOn: ReadonlySet<string> = new Set(tokenize('it they this these which that'));
/** A clause of fewer words hardly does more than name something: "The editor, on the other hand, is a mess". */
const wordsMin = 8;
/** As many clauses of a text are read, and of one that goes on. */
const [clausesMax, runMax] = [16, 4];

/**
 * What a text says of the thing of which a question asks a judgement, where it speaks of others too: "is the battery good?" is
 * answered by what is said of the battery. Null where the question names nothing, and where no clause names it or all do.
 */
export function aspectTexts(
  asked: Asked,
  question: NormalizedQuestion,
  clausesOf: () => readonly Clause[],
): readonly string[] | null {
  const named = namedIn(asked, question);
  if (named.size === 0) return null;
  const clauses = clausesOf();
  const shared = clauses.map(({ roots }) => [...named].filter((word) => roots.includes(word)).length);
  const most = shared.reduce((a, b) => Math.max(a, b), 0);
  const places = [...shared.keys()].filter((at) => shared[at] === most);
  if (most === 0 || most * 2 < named.size || places.length === clauses.length) return null;
  return places.slice(0, clausesMax).map((at) => {
    const following = clauses.slice(at + 1, at + runMax);
    const run = [clauses[at], ...following].slice(
      0,
      1 + goesOnFor(clauses[at]?.words.length ?? 0, following),
    );
    return run.map((clause) => clause?.text ?? '').join(', ');
  });
}

/** How many of the clauses that follow belong to one of so many words. */
function goesOnFor(count: number, following: readonly Clause[]): number {
  let words = count;
  const end = following.findIndex((clause) => {
    const belongs = goingOn.has(clause.words[0] ?? '') || (count < wordsMin / 2 && words < wordsMin);
    words += clause.words.length;
    return !belongs;
  });
  return end < 0 ? following.length : end;
}

/** Stems of what is judged; none where no judgement is asked. */
function namedIn(asked: Asked, { kind, question, options }: NormalizedQuestion): ReadonlySet<string> {
  // Of a statement and its opposite what they share, so that turning the question round changes nothing.
  if (asked.kind === 'contrast') return namesOf(asked.statement, new Set(tokenize(asked.opposite)));
  if (asked.kind === 'feelings') return namesOf(question);
  if (kind !== 'score') return new Set();
  const levels = options.map(({ description }) => description);
  return conceptOfLevels(question, levels)?.name === 'satisfaction' ? namesOf(question) : new Set();
}

function namesOf(text: string, within: ReadonlySet<string> | null = null): ReadonlySet<string> {
  const isNamed = (word: string) =>
    /[\p{L}\p{N}]/u.test(word) &&
    (within?.has(word) ?? true) &&
    oppositeOfWord(word) === null &&
    !judgements.has(word) &&
    ![frames, fillers, passed, negators, frame, subjects, judging].some((known) => known.has(word));
  return new Set(tokenize(text).filter(isNamed).map(rootOf));
}
