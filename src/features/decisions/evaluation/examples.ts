import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { collectImagesInSteps } from '../images.ts';
import { Entry as EntrySchema } from '../entry.ts';
import { renderStateInSteps } from '../prompt.ts';
import { ChoiceQuestion, LooseScoreQuestion, NoulQuestion, type Question } from '../question.ts';
import type { State, Entry, NormalizedQuestion } from '../engine.ts';
import { normalizeQuestionInSteps } from '../normalize-question.ts';
import { Fault } from '../../../kernel/faults.ts';
import { isJsonObject, type Json, JsonError } from '../../../kernel/kit/json.ts';
import { parseJson, parseWritten } from '../../../kernel/kit/json-parse.ts';
import { runAtOnce } from '../../../kernel/kit/slices.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';

/** One line of a file: a question about a state and its right answer. */
export interface Example {
  readonly state: Entry;
  readonly question: Question;
  /** A boolean for a noul, the option's name for a choice, the level's index for a score. */
  readonly answer: boolean | string | number;
  /** Its place as messages show it: `file.jsonl:12`. */
  readonly source: string;
}

/** An example in the normal form that engines are asked in. */
export interface Case {
  readonly state: State;
  readonly question: NormalizedQuestion;
  readonly right: number;
  readonly source: string;
}

/** Deepest nesting of a request. */
const depthMax = 64;

const questions = {
  noul: NoulQuestion,
  choice: ChoiceQuestion,
  score: LooseScoreQuestion,
} as const;
const validators = {
  noul: Compile(NoulQuestion),
  choice: Compile(ChoiceQuestion),
  score: Compile(LooseScoreQuestion),
};
const entry = Compile(EntrySchema);

/** Reads one example a line. Empty lines and unknown fields are ignored. Throws ExampleError. */
export function parseJsonl(text: string, source: string): readonly Example[] {
  const examples: Example[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() !== '') examples.push(parseExample(line, `${source}:${index + 1}`));
  }
  return examples;
}

/** One example as a line that `parseJsonl` reads back. */
export function toJsonl({ state, question, answer }: Example): string {
  return JSON.stringify({ state, question, answer });
}

type Prepared = Map<Question, NormalizedQuestion>;

/** Normalizes examples. A question object that several examples share is normalized once. Throws ExampleError. */
export function toCases(examples: readonly Example[]): readonly Case[] {
  const prepared: Prepared = new Map();
  return examples.map((one) => runAtOnce(toCaseInSteps(one, prepared)));
}

/** Normalizes one, whose state and question may hold as much as a body does. Throws ExampleError. */
export function* toCaseInSteps(
  { state: entry, question: asked, answer, source }: Example,
  prepared: Prepared = new Map(),
): Generator<void, Case> {
  try {
    const question = prepared.get(asked) ?? (yield* normalizeQuestionInSteps(asked, 'question'));
    prepared.set(asked, question);
    const text = yield* renderStateInSteps(entry);
    const state = { entry, text, images: yield* collectImagesInSteps(entry, 'state') };
    return { state, question, right: placeOf(question, answer, source), source };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new ExampleError(`${source}: ${error.param ?? 'state'}: ${error.message}`);
  }
}

function parseExample(line: string, source: string): Example {
  const value = parseLine(line, source);
  const refuse = (reason: string) => new ExampleError(`${source}: ${reason}`);
  if (!isJsonObject(value)) throw refuse('an example must be a JSON object with state, question and answer');
  for (const name of ['state', 'question', 'answer']) {
    if (!Object.hasOwn(value, name)) throw refuse(`"${name}" is missing`);
  }
  const { state: content, question, answer } = value;
  if (!entry.Check(content)) throw refuse('state must be a string, object or array');
  const example = { state: content as Entry, question: toQuestion(question, refuse), source };
  if (typeof answer === 'boolean' || typeof answer === 'string' || typeof answer === 'number') {
    const checked = { ...example, answer };
    toCases([checked]);
    return checked;
  }
  throw refuse('answer must be true or false, the name of an option or the index of a level');
}

/** Integers keep their digits, as those of a request do. */
function parseLine(line: string, source: string): Json {
  try {
    parseJson(Buffer.from(line), { depthMax });
    return parseWritten(line);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const reason = {
      syntax: 'not valid JSON',
      depth: `nested deeper than ${depthMax} levels`,
      size: 'too many values',
      duplicate: `the name ${JSON.stringify(quote(error.key))} stands twice in one object`,
    }[error.kind];
    throw new ExampleError(`${source}: ${reason}`);
  }
}

function toQuestion(question: Json | undefined, refuse: (reason: string) => ExampleError): Question {
  const type = isJsonObject(question) ? question['type'] : undefined;
  if (type !== 'noul' && type !== 'choice' && type !== 'score') {
    throw refuse('question must be an object whose type is noul, choice or score');
  }
  const validator = validators[type];
  if (validator.Check(question)) return question;
  // The last error is that of the outermost node, which has the clearest message.
  const { schemaPath, instancePath, keyword, message, params } = validator.Errors(question)[1].at(-1) ?? {
    schemaPath: '#',
    instancePath: '',
    keyword: '',
    message: 'is not valid',
    params: {},
  };
  const own = messageAt(questions[type], schemaPath);
  const path = ['question', ...instancePath.split('/').slice(1)].join('.');
  if (own !== undefined) throw refuse(`${path}: ${own}`);
  if (keyword === 'required') throw refuse(`${path}: ${missing(params)}`);
  throw refuse(`${path}: ${message}`);
}

function missing(params: object): string {
  const names: unknown = Reflect.get(params, 'requiredProperties');
  return `${Array.isArray(names) ? names.map((name) => `"${String(name)}"`).join(', ') : 'a field'} is missing`;
}

/** Error message of the part of a schema at a JSON pointer. */
function messageAt(schema: TSchema, pointer: string): string | undefined {
  let node: unknown = schema;
  for (const step of pointer.split('/').slice(1)) {
    node = typeof node === 'object' && node !== null ? Reflect.get(node, step) : undefined;
  }
  const message: unknown =
    typeof node === 'object' && node !== null ? Reflect.get(node, 'errorMessage') : undefined;
  return typeof message === 'string' ? message : undefined;
}

function placeOf({ kind, options }: NormalizedQuestion, answer: Example['answer'], source: string): number {
  const wanted = { noul: 'boolean', choice: 'string', score: 'number' }[kind];
  const place = typeof answer === wanted ? options.findIndex(({ name }) => name === String(answer)) : -1;
  if (place >= 0) return place;
  const given = JSON.stringify(typeof answer === 'string' ? quote(answer) : answer);
  const allowed = {
    noul: 'true or false',
    choice: `the name of one of its ${options.length} options`,
    score: `the index of a level, 0 to ${options.length - 1}`,
  }[kind];
  throw new ExampleError(`${source}: answer ${given}: a ${kind} is answered by ${allowed}`);
}
