import { withDigits } from '../../kernel/kit/json-digits.ts';
import { isExactNumber } from '../../kernel/kit/json-exact.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import { createPace, runAtOnce } from '../../kernel/kit/slices.ts';
import type { Entry } from './engine.ts';

/** Raised by any change of a rendering, so that calibrations and caches know what they were made for. */
export const PROMPT_VERSION = 1;

/** From this length on an array's items carry their index; counting them is where models slip. */
const indexedFrom = 8;
/** Values that are rendered in one step. */
const stepLength = 256;

type Pace = () => boolean;

/** Text of instructions or a description: text as it is, structure as compact JSON. */
export function* renderEntryInSteps(entry: Entry | null | undefined): Generator<void, string> {
  if (entry === null || entry === undefined) return '';
  return typeof entry === 'string' ? entry.trim() : yield* renderValue(entry, createPace(stepLength));
}

const oppositeOfAll = 'Is the opposite the case?';
const oppositeOf = 'Is the opposite of the following the case? ';

/** Turns a question or statement around; `negation.ts` asks both. */
export const negateQuestion = (question: string): string =>
  question === '' ? oppositeOfAll : oppositeOf + question;

/** What `negateQuestion` turned around; null for any other. */
export function affirmQuestion(question: string): string | null {
  if (question === oppositeOfAll) return '';
  return question.startsWith(oppositeOf) ? question.slice(oppositeOf.length) : null;
}

/** Text of a state. A conversation keeps its roles as data, one message a paragraph; parts are their text. */
export function renderState(state: Entry): string {
  return runAtOnce(renderStateInSteps(state));
}

export function* renderStateInSteps(state: Entry): Generator<void, string> {
  if (typeof state === 'string') return state;
  const pace = createPace(stepLength);
  if (Array.isArray(state) && state.length > 0 && state.every(isMessage)) {
    const paragraphs: string[] = [];
    for (const { role, content } of state) paragraphs.push(`${role}: ${yield* renderContent(content, pace)}`);
    return paragraphs.join('\n\n');
  }
  // Clients that know only parts wrap a plain text so.
  if (
    Array.isArray(state) &&
    state.length > 0 &&
    state.every((item) => isTextPart(item) || isImagePart(item))
  ) {
    return yield* renderContent(state, pace);
  }
  return yield* renderValue(state, pace);
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

function* renderContent(content: Message['content'], pace: Pace): Generator<void, string> {
  if (typeof content === 'string') return content;
  const parts: string[] = [];
  for (const part of content) parts.push(isTextPart(part) ? part.text : yield* renderValue(part, pace));
  return parts.join('\n');
}

function isTextPart(part: Json): part is JsonObject & { text: string } {
  return isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

/** Whether a value is an image part in the common chat style. */
export function isImagePart(value: Json): value is JsonObject {
  return isJsonObject(value) && value['type'] === 'image_url' && Object.hasOwn(value, 'image_url');
}

function* renderValue(given: Json, pace: Pace): Generator<void, string> {
  if (pace()) yield;
  if (isImagePart(given)) return '[image]';
  const value = withDigits(given);
  const texts: string[] = [];
  if (Array.isArray(value)) {
    const isIndexed = value.length >= indexedFrom;
    for (const [index, item] of (value as readonly Json[]).entries()) {
      const text = yield* renderValue(item, pace);
      texts.push(isIndexed ? `${index}: ${text}` : text);
    }
    return `[${texts.join(', ')}]`;
  }
  if (!isJsonObject(value) || isExactNumber(value)) return JSON.stringify(value);
  // A list of pairs of 100,000 names would be made in one step that lasts.
  for (const name of Object.keys(value)) {
    texts.push(`${JSON.stringify(name)}: ${yield* renderValue(value[name] as Json, pace)}`);
  }
  return `{${texts.join(', ')}}`;
}
