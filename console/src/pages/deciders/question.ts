import { isRecord } from '../../api/failure.ts';

/** A question as a request holds it. */
export interface Question {
  readonly type: 'noul' | 'choice' | 'score';
  readonly instructions?: unknown;
  readonly criteria?: unknown;
}

const types: ReadonlySet<unknown> = new Set(['noul', 'choice', 'score']);

/** What keeps a value from being a question with an answer; null where nothing does. The server checks the rest. */
export function questionProblem(value: unknown): string | null {
  if (!isRecord(value)) return 'the question is not an object';
  if (!types.has(value['type'])) return 'the type of the question is not noul, choice or score';
  const { type, criteria } = value;
  if (type === 'choice' && (!isRecord(criteria) || Object.keys(criteria).length === 0))
    return 'the question has no options: "criteria" of a choice is an object of them';
  if (type === 'score' && !Array.isArray(criteria))
    return 'the question has no levels: "criteria" of a score is a list of them';
  return null;
}

/** What keeps an answer from being one to this question; null where nothing does. */
export function answerProblem({ type, criteria }: Question, answer: unknown): string | null {
  switch (type) {
    case 'noul':
      return typeof answer === 'boolean' ? null : `the answer is ${print(answer)}, not true or false`;
    case 'choice':
      return typeof answer === 'string' && isRecord(criteria) && Object.hasOwn(criteria, answer)
        ? null
        : `the answer ${print(answer)} is none of the options`;
    case 'score': {
      const levels = Array.isArray(criteria) ? criteria.length : 0;
      return Number.isInteger(answer) && Number(answer) >= 0 && Number(answer) < levels
        ? null
        : `the answer is ${print(answer)}, not the index of a level (0 to ${levels - 1})`;
    }
  }
}

/** The question in a line, for people. */
export function aboutQuestion({ type, instructions, criteria }: Question): string {
  const asked = typeof instructions === 'string' ? instructions : '';
  const options = isRecord(criteria) && type === 'choice' ? Object.keys(criteria) : [];
  const shown = options.slice(0, optionsShown).join(', ');
  const more = options.length > optionsShown ? ` and ${options.length - optionsShown} more` : '';
  const levels = type === 'score' && Array.isArray(criteria) ? `${criteria.length} levels` : '';
  return [type, asked, shown + more, levels].filter((part) => part !== '').join(' · ');
}

const optionsShown = 6;

function print(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
