import type { DecisionRequest } from './code.ts';
import { problemOf } from './draft-problem.ts';
import { fromQuestions, toQuestions, toState, type DraftProblem } from './draft.ts';
import { isMap, parseJson, printJson, toPlain, type Tree } from './json-text.ts';
import type { Work } from './kept.ts';

/** The questions as they will be sent, or the first thing that keeps them from it. */
export function readQuestions(
  work: Pick<Work, 'questions' | 'questionsJson'>,
):
  | { readonly questions: unknown; readonly problem: null }
  | { readonly questions: null; readonly problem: DraftProblem } {
  if (work.questionsJson === null) {
    const problem = problemOf(work.questions);
    return problem === null
      ? { questions: toPlain(toQuestions(work.questions)), problem }
      : { questions: null, problem };
  }
  const { value, problem: found } = parseJson(work.questionsJson);
  if (found !== null) {
    const message = `${found.message} (line ${found.line}, column ${found.column}).`;
    return { questions: null, problem: { question: null, message } };
  }
  const drafts = fromQuestions(value);
  const problem = 'message' in drafts ? drafts : problemOf(drafts);
  return problem === null
    ? { questions: toPlain(value), problem }
    : { questions: null, problem: { ...problem, question: null } };
}

/** The questions about the state; `message` says what has to be changed first. */
export function toRequest(
  work: Pick<Work, 'state' | 'questions' | 'questionsJson' | 'engine'>,
): { readonly request: DecisionRequest } | { readonly message: string } {
  const state = toState(work.state);
  if ('message' in state) return { message: `The state: ${state.message}` };
  const { questions, problem } = readQuestions(work);
  if (problem !== null) return { message: problem.message };
  return { request: { model: work.engine, state: state.state, questions } };
}

/** Converts the form to JSON. If that would lose something, nothing changes and the reason is returned. */
export function toJsonMode(
  work: Pick<Work, 'questions'>,
): Pick<Work, 'questionsJson'> | { readonly message: string } {
  const { questions } = work;
  const names = questions.map(({ name }) => name);
  const options = questions.flatMap(({ kind, options: given }) =>
    kind === 'choice' ? [given.map(({ name }) => name)] : [],
  );
  if ([names, ...options].some((list) => new Set(list).size < list.length))
    return { message: 'JSON cannot hold two questions or two options of the same name. Rename one first.' };
  const broken = problemOf(questions);
  if (broken?.message.endsWith('JSON with a mistake.') === true) return { message: broken.message };
  return { questionsJson: printJson(toQuestions(questions), '  ') };
}

/** JSON to form. */
export function toFormMode(
  text: string,
): Pick<Work, 'questions' | 'questionsJson'> | { readonly message: string } {
  const { value, problem } = parseJson(text);
  if (problem !== null)
    return { message: `${problem.message} (line ${problem.line}, column ${problem.column}).` };
  const drafts = fromQuestions(value);
  return 'message' in drafts ? drafts : { questions: drafts, questionsJson: null };
}

/** State and questions of a whole request pasted in place of questions; null for anything else. */
export function fromWholeRequest(text: string): Pick<Work, 'state' | 'questionsJson'> | null {
  const { value } = parseJson(text);
  if (!isMap(value ?? undefined)) return null;
  const request = value as ReadonlyMap<string, Tree>;
  const questions = request.get('questions');
  const state = request.get('state');
  if (!isMap(questions) || questions.has('type') || state === undefined) return null;
  return {
    state:
      typeof state === 'string'
        ? { text: state, isJson: false }
        : { text: printJson(state, '  '), isJson: true },
    questionsJson: printJson(questions, '  '),
  };
}
