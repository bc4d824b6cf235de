import { isList, isMap, parseJson, printJson, toPlain, type Tree } from './json-text.ts';

/** Text as somebody types it. `isJson` marks what is no plain text: an object or a list, written as JSON. */
export interface Value {
  readonly text: string;
  readonly isJson: boolean;
}

export type Kind = 'noul' | 'choice' | 'score';

export interface Option {
  readonly id: number;
  readonly name: string;
  readonly description: Value;
}

export interface Level {
  readonly id: number;
  readonly value: Value;
}

/** A question while it is written. What its kind does not use is kept, so that changing the kind loses nothing. */
export interface QuestionDraft {
  /** Stays with the question when it is moved or renamed. Never sent. */
  readonly id: number;
  readonly name: string;
  readonly kind: Kind;
  readonly instructions: Value;
  readonly yes: Value;
  readonly no: Value;
  readonly options: readonly Option[];
  readonly levels: readonly Level[];
  /** Fields that the form does not show, as JSON of an object; the server ignores them. */
  readonly rest: string;
}

/** What has to be changed before anybody can be asked. */
export interface DraftProblem {
  /** Null where no single question is meant. */
  readonly question: number | null;
  readonly message: string;
}

export const questionsMax = 128;
export const optionsMax = 255;
export const levelsMax = 10;

const empty: Value = { text: '', isJson: false };

export function plain(text: string): Value {
  return { text, isJson: false };
}

export function newQuestion(id: number, kind: Kind = 'noul', name = ''): QuestionDraft {
  return {
    id,
    name,
    kind,
    instructions: empty,
    yes: empty,
    no: empty,
    options: [newOption(1), newOption(2)],
    levels: [newLevel(1), newLevel(2)],
    rest: '{}',
  };
}

export function newOption(id: number, name = '', description: Value = empty): Option {
  return { id, name, description };
}

export function newLevel(id: number, value: Value = empty): Level {
  return { id, value };
}

/** An id that none of them has. */
export function nextId(items: readonly { readonly id: number }[]): number {
  return items.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;
}

/** The same items with the one at `from` moved to `to`. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, ...items.slice(from, from + 1));
}

/** The questions as they are sent, in the order of the form. Names must differ. */
export function toQuestions(drafts: readonly QuestionDraft[]): Tree {
  return new Map(drafts.map((draft) => [draft.name, toQuestion(draft)]));
}

function toQuestion(draft: QuestionDraft): Tree {
  const instructions = isEmpty(draft.instructions)
    ? []
    : [['instructions', toTree(draft.instructions)] as const];
  const criteria = criteriaOf(draft);
  const rest = parseJson(draft.rest).value;
  return new Map<string, Tree>([
    ['type', draft.kind],
    ...instructions,
    ...(criteria === null ? [] : [['criteria', criteria] as const]),
    ...(isMap(rest) ? rest : []),
  ]);
}

function criteriaOf({ kind, yes, no, options, levels }: QuestionDraft): Tree | null {
  switch (kind) {
    case 'noul': {
      const given = (
        [
          ['true', yes],
          ['false', no],
        ] as const
      ).filter(([, value]) => !isEmpty(value));
      return given.length === 0 ? null : new Map(given.map(([name, value]) => [name, toTree(value)]));
    }
    case 'choice':
      return new Map(
        options.map(({ name, description }) => [name, isEmpty(description) ? null : toTree(description)]),
      );
    case 'score':
      return levels.map(({ value }) => toTree(value));
  }
}

/** The form's rows for questions that were written as JSON, or what a form cannot show. */
export function fromQuestions(tree: Tree): readonly QuestionDraft[] | DraftProblem {
  if (!isMap(tree)) return problem('Questions are an object: { "name": { "type": … } }');
  const drafts: QuestionDraft[] = [];
  for (const [name, question] of tree) {
    const draft = isMap(question)
      ? fromQuestion(drafts.length + 1, name, question)
      : problem('not an object');
    if ('message' in draft) return problem(`Question ${JSON.stringify(name)}: ${draft.message}`);
    drafts.push(draft);
  }
  return drafts;
}

function fromQuestion(
  id: number,
  name: string,
  question: ReadonlyMap<string, Tree>,
): QuestionDraft | DraftProblem {
  const kind = question.get('type');
  if (kind !== 'noul' && kind !== 'choice' && kind !== 'score')
    return problem('"type" has to be "noul", "choice" or "score"');
  const rest = new Map(
    [...question].filter(([field]) => !['type', 'instructions', 'criteria'].includes(field)),
  );
  const draft = {
    ...newQuestion(id, kind, name),
    instructions: fromTree(question.get('instructions') ?? null),
    rest: printJson(rest),
  };
  const criteria = question.get('criteria') ?? null;
  switch (kind) {
    case 'noul': {
      if (criteria === null) return draft;
      if (!isMap(criteria) || [...criteria.keys()].some((key) => key !== 'true' && key !== 'false'))
        return problem('"criteria" of a noul is an object with "true" and "false"');
      return {
        ...draft,
        yes: fromTree(criteria.get('true') ?? null),
        no: fromTree(criteria.get('false') ?? null),
      };
    }
    case 'choice': {
      if (!isMap(criteria))
        return problem('"criteria" of a choice is an object: { "option": "description" }');
      const options = [...criteria].map(([option, value], at) => newOption(at + 1, option, fromTree(value)));
      return { ...draft, options };
    }
    case 'score': {
      if (!isList(criteria)) return problem('"criteria" of a score is a list of levels, the lowest first');
      return { ...draft, levels: criteria.map((value, at) => newLevel(at + 1, fromTree(value))) };
    }
  }
}

/** What is sent for a state: its text, or the object or list that it spells. */
export function toState({ text, isJson }: Value): { readonly state: unknown } | { readonly message: string } {
  if (!isJson) return { state: text };
  const { value, problem: found } = parseJson(text);
  if (found !== null) return { message: `${found.message} (line ${found.line}, column ${found.column}).` };
  if (typeof value === 'string' || isMap(value) || isList(value)) return { state: toPlain(value) };
  return { message: 'A state is text, an object or a list.' };
}

export function isEmpty({ text }: Value): boolean {
  return text === '';
}

/** Invalid JSON is returned as text: call it only for a draft without problems. */
function toTree({ text, isJson }: Value): Tree {
  const { value, problem: found } = isJson ? parseJson(text) : { value: text, problem: null };
  return found === null ? value : text;
}

function fromTree(tree: Tree): Value {
  if (tree === null) return empty;
  // Only JSON distinguishes an empty text from none.
  if (typeof tree === 'string' && tree !== '') return plain(tree);
  return { text: printJson(tree), isJson: true };
}

export function problem(message: string): DraftProblem {
  return { question: null, message };
}
