import { withDigits } from '../kit/json-digits.ts';
import { isExactNumber } from '../kit/json-exact.ts';
import { isJsonObject, type Json, type JsonObject } from '../kit/json.ts';
import type { Entry } from './view.ts';

/** Raised by any change of a rendering, so that calibrations and caches know what they were made for. */
export const PROMPT_VERSION = 1;

/** From this length on an array's items carry their index; counting them is where models slip. */
const indexedFrom = 8;

/** Text of instructions or a description: text as it is, structure as compact JSON. */
export function renderEntry(entry: Entry | null | undefined): string {
  if (entry === null || entry === undefined) return '';
  return typeof entry === 'string' ? entry.trim() : renderValue(entry);
}

/** Turns a question or statement around; `negation.ts` asks both. */
export function negateQuestion(question: string): string {
  return question === ''
    ? 'Is the opposite the case?'
    : `Is the opposite of the following the case? ${question}`;
}

/** Text of a state. A conversation keeps its roles as data, one message a paragraph; parts are their text. */
export function renderState(state: Entry): string {
  if (typeof state === 'string') return state;
  if (Array.isArray(state) && state.length > 0 && state.every(isMessage)) {
    return state.map((message) => `${message.role}: ${renderContent(message.content)}`).join('\n\n');
  }
  // Clients that know only parts wrap a plain text so.
  if (
    Array.isArray(state) &&
    state.length > 0 &&
    state.every((item) => isTextPart(item) || isImagePart(item))
  ) {
    return renderContent(state);
  }
  return renderValue(state);
}

interface Message extends JsonObject {
  readonly role: string;
  readonly content: string | readonly Json[];
}

function isMessage(value: Json): value is Message {
  return (
    isJsonObject(value) &&
    typeof value['role'] === 'string' &&
    (typeof value['content'] === 'string' || Array.isArray(value['content']))
  );
}

function renderContent(content: Message['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (isTextPart(part) ? part.text : renderValue(part))).join('\n');
}

function isTextPart(part: Json): part is JsonObject & { text: string } {
  return isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

/** Whether a value is an image part in the common chat style. */
export function isImagePart(value: Json): value is JsonObject {
  return isJsonObject(value) && value['type'] === 'image_url' && Object.hasOwn(value, 'image_url');
}

function renderValue(given: Json): string {
  if (isImagePart(given)) return '[image]';
  const value = withDigits(given);
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) =>
      value.length < indexedFrom ? renderValue(item) : `${index}: ${renderValue(item)}`,
    );
    return `[${items.join(', ')}]`;
  }
  if (isJsonObject(value) && !isExactNumber(value)) {
    const fields = Object.entries(value).map(
      ([name, item]) => `${JSON.stringify(name)}: ${renderValue(item)}`,
    );
    return `{${fields.join(', ')}}`;
  }
  return JSON.stringify(value);
}
