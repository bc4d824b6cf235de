import { jsonOrText } from '../../../kernel/kit/json-fields.ts';
import { isJsonObject, type Json } from '../../../kernel/kit/json.ts';

/** What a model is told of a tool with freeform input: a function with one text. */
export const customParameters = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input, as it is.' } },
  required: ['input'],
  additionalProperties: false,
};

/** A backend cannot be held to a grammar, so it is told. */
export function describeCustom(description: string | null, format: Json | undefined): string | null {
  if (!isJsonObject(format)) return description;
  // Chat completions wrap it once more.
  const inner = isJsonObject(format['grammar']) ? format['grammar'] : format;
  const { syntax, definition } = inner;
  if (format['type'] !== 'grammar' || typeof definition !== 'string') return description;
  const grammar = `\`input\` follows this grammar (${typeof syntax === 'string' ? syntax : 'lark'}):\n${definition}`;
  return description === null ? grammar : `${description}\n\n${grammar}`;
}

/** The one text of a call, however its model wrapped it. */
export function inputOf(text: string): string {
  if (text === '') return '';
  const parsed = jsonOrText(text);
  if (typeof parsed === 'string') return parsed;
  if (!isJsonObject(parsed)) return text;
  const { input } = parsed;
  if (typeof input === 'string') return input;
  const [only, ...others] = Object.values(parsed);
  return typeof only === 'string' && others.length === 0 ? only : text;
}
