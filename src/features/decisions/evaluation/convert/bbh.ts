import type { Question } from '../../question.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Example } from '../examples.ts';

export interface Converted {
  readonly examples: readonly Example[];
  /** Number of tasks left out, because their answer is neither yes or no nor one of the options. */
  readonly refused: number;
}

/** Whether JSON has the form of a BIG-Bench Hard task: `examples`, each with `input` and `target`. */
export function isBbh(value: Json): value is JsonObject {
  const examples = isJsonObject(value) ? value['examples'] : undefined;
  return Array.isArray(examples) && examples.length > 0 && examples.every(isTask);
}

/** Yes/no and true/false become nouls, listed options become choices; what is neither is counted. */
export function fromBbh(value: JsonObject, source: string): Converted {
  const tasks = value['examples'] as unknown as readonly Task[];
  const examples = tasks.flatMap((task, index): Example[] => {
    const asked = toAsked(task);
    return asked === null ? [] : [{ ...asked, source: `${source}:examples[${index}]` }];
  });
  return { examples, refused: tasks.length - examples.length };
}

interface Task {
  readonly input: string;
  readonly target: string;
}

function isTask(value: Json): value is JsonObject & Task {
  return isJsonObject(value) && typeof value['input'] === 'string' && typeof value['target'] === 'string';
}

type Asked = Pick<Example, 'state' | 'question' | 'answer'>;

function toAsked({ input, target }: Task): Asked | null {
  const [, text = input, list] = /^([\s\S]*?)\s*\nOptions:\n([\s\S]*)$/.exec(input) ?? [];
  const answer = target.trim();
  const options = list === undefined ? [] : readOptions(list);
  if (options === null) return null;
  const right = options.find(({ label, name }) => answer === label || answer === name);
  const names = new Set(options.map(({ name }) => name.toLowerCase()));
  if (options.length === 0 || isYesNo(names)) return toNoul(text, right?.name ?? answer);
  // Of two options with the same text neither can be identified as the right one.
  if (right === undefined || names.size < options.length) return null;
  const criteria = Object.fromEntries(options.map(({ name }) => [name, null]));
  const question: Question = { type: 'choice', instructions: 'Which option is the right answer?', criteria };
  return { state: text, question, answer: right.name };
}

function isYesNo(names: ReadonlySet<string>): boolean {
  return (
    names.size === 2 && ((names.has('yes') && names.has('no')) || (names.has('true') && names.has('false')))
  );
}

function toNoul(state: string, target: string): Asked | null {
  const word = target.toLowerCase();
  if (word === 'yes' || word === 'no') {
    return { state, question: { type: 'noul', instructions: 'Is the answer yes?' }, answer: word === 'yes' };
  }
  if (word === 'true' || word === 'false') {
    return {
      state,
      question: { type: 'noul', instructions: 'Is the expression true?' },
      answer: word === 'true',
    };
  }
  return null;
}

interface Listed {
  /** `(A)` as a target names it; null where options stand behind dashes and are named by their text. */
  readonly label: string | null;
  readonly name: string;
}

function readOptions(list: string): readonly Listed[] | null {
  const options = list
    .trimEnd()
    .split('\n')
    .map((line): Listed | null => {
      const [, label, lettered, dashed] = /^(?:(\([A-Z]\)) (.*)|- (.*))$/.exec(line) ?? [];
      const name = (lettered ?? dashed ?? '').trim();
      return name === '' ? null : { label: label ?? null, name };
    });
  return options.some((option) => option === null) ? null : options.filter((option) => option !== null);
}
