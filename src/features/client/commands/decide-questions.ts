import { parse as parseYaml } from 'yaml';
import { toExactNumber } from '../../../kernel/kit/json-exact.ts';
import { parseWritten } from '../../../kernel/kit/json-parse.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

/** By option; those of `about` are NAME=TEXT: what a choice or score asks. */
type GivenQuestions = { readonly [Option in 'noul' | 'choice' | 'score' | 'about']?: string[] | undefined };

/** Makes questions as on the wire, by name. The file's come first. Throws UsageError. */
export function toQuestions(given: GivenQuestions, file: string | null): JsonObject {
  const questions = new Map<string, Json>(file === null ? [] : Object.entries(readQuestions(file)));
  const add = (name: string, question: Json): void => {
    if (questions.has(name)) throw new UsageError(`There are two questions called "${name}".`);
    questions.set(name, question);
  };
  for (const text of given.noul ?? []) {
    const [name, instructions] = splitNamed(text) ?? [`q${questions.size + 1}`, text];
    if (instructions.trim() === '') throw new UsageError('--noul takes a question or NAME=QUESTION.');
    add(name, { type: 'noul', instructions });
  }
  const about = new Map((given.about ?? []).map((text) => needNamed('--about', text)));
  for (const text of given.choice ?? []) {
    const [name, options] = needNamed('--choice', text);
    const list = toList('--choice', options);
    const criteria = isJsonObject(list)
      ? list
      : Object.fromEntries(list.map((option) => [toText(option), null]));
    add(name, { type: 'choice', ...instructionsOf(about, name), criteria });
  }
  for (const text of given.score ?? []) {
    const [name, levels] = needNamed('--score', text);
    const criteria = toList('--score', levels);
    if (isJsonObject(criteria)) throw new UsageError('--score takes NAME=lowest,…,highest or NAME=[…].');
    add(name, { type: 'score', ...instructionsOf(about, name), criteria });
  }
  const [unused] = about.keys();
  if (unused !== undefined)
    throw new UsageError(`--about names "${unused}", which no --choice or --score does.`);
  if (questions.size === 0)
    throw new UsageError('No question: give --noul, --choice, --score or --questions.');
  return Object.fromEntries(questions);
}

function instructionsOf(about: Map<string, string>, name: string): { readonly instructions?: string } {
  const instructions = about.get(name);
  about.delete(name);
  return instructions === undefined ? {} : { instructions };
}

/** `NAME=…` where NAME is one word, so that a question with an equals sign in it stays one. */
function splitNamed(text: string): readonly [string, string] | null {
  const { name, rest } = /^(?<name>[\p{L}\p{N}_.-]+)=(?<rest>[^]*)$/u.exec(text)?.groups ?? {};
  return name === undefined || rest === undefined ? null : [name, rest];
}

function needNamed(option: string, text: string): readonly [string, string] {
  const named = splitNamed(text);
  if (named === null || named[1].trim() === '')
    throw new UsageError(`${option} takes NAME=…, NAME being one word.`);
  return named;
}

/** `a,b,c`, a JSON list, or a JSON object. */
function toList(option: string, text: string): readonly Json[] | JsonObject {
  if (/^\s*[[{]/.test(text)) {
    const value = parseValue(text);
    if (Array.isArray(value)) return value as readonly Json[];
    if (isJsonObject(value)) return value;
    throw new UsageError(`${option}: what follows the name is neither JSON nor a list with commas.`);
  }
  return text.split(',').map((one) => one.trim());
}

function toText(option: Json): string {
  if (typeof option === 'string') return option;
  throw new UsageError('--choice takes options that are texts.');
}

function parseValue(text: string): Json | undefined {
  try {
    return parseWritten(text);
  } catch {
    return undefined;
  }
}

/** The same of YAML: its integers keep every digit too. */
function parseYamlValue(text: string): Json {
  try {
    const value: unknown = parseYaml(text, { schema: 'core', maxAliasCount: 0, intAsBigInt: true });
    return parseWritten(
      JSON.stringify(value, (_name, one: unknown) =>
        typeof one === 'bigint' ? toExactNumber(String(one)) : one,
      ),
    );
  } catch {
    throw new UsageError('--questions: the file is neither JSON nor YAML.');
  }
}

/** JSON or YAML, either the questions or a request that has them. */
function readQuestions(text: string): JsonObject {
  const value = parseValue(text) ?? parseYamlValue(text);
  const found = isJsonObject(value) && isJsonObject(value['questions']) ? value['questions'] : value;
  if (isJsonObject(found)) return found;
  throw new UsageError('--questions: the file has to hold questions by name.');
}
