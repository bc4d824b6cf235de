import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { listOf } from '../../../../kernel/kit/json-fields.ts';

/**
 * Some servers want the reasoning before a call back with its result, and refuse a call without it. It travels as the
 * `signature` of the first call after it: as a text, or as the list in which OpenRouter and its like tell of it.
 */
export function formatReasoning(text: string): string {
  return JSON.stringify({ reasoning_content: text });
}

/** Null for what other models signed. */
export function parseReasoning(signature: string | undefined): string | null {
  const { reasoning_content: text } = parse(signature, 'reasoning_content');
  return typeof text === 'string' ? text : null;
}

export function formatDetails(details: readonly JsonObject[], callId: string): string {
  return JSON.stringify({ reasoning_details: details, call_id: callId });
}

/**
 * Empty for what other models signed. What Gemini signs of a call bears the id of it, which may be another one by now: without the
 * same id the call counts as unsigned.
 */
export function parseDetails(signature: string | undefined, callId: string): readonly JsonObject[] {
  const { reasoning_details: details, call_id: before } = parse(signature, 'reasoning_details');
  return (listOf(details) ?? [])
    .filter(isJsonObject)
    .map((detail) => (before !== undefined && detail['id'] === before ? { ...detail, id: callId } : detail));
}

/** Nothing where the first field has another name. */
function parse(signature: string | undefined, name: string): Partial<JsonObject> {
  if (signature?.startsWith(`{"${name}":`) !== true) return {};
  try {
    return JSON.parse(signature) as JsonObject;
  } catch {
    return {};
  }
}

/** The field of each type whose text comes in pieces. Encrypted reasoning comes whole. */
const pieces: Readonly<Record<string, string>> = {
  'reasoning.text': 'text',
  'reasoning.summary': 'summary',
};

/** Puts the list together from its pieces, in their order: a backend takes it back unchanged or not at all. */
export class ReasoningDetails {
  #details: JsonObject[] = [];

  /** The text of what was told. */
  push(list: readonly Json[]): string {
    let text = '';
    for (const detail of list) {
      if (!isJsonObject(detail)) continue;
      const field = pieceOf(detail);
      const more = field === null ? null : detail[field];
      if (typeof more === 'string') text += more;
      const last = this.#details.at(-1);
      if (field !== null && last !== undefined && isSame(last, detail))
        this.#details[this.#details.length - 1] = joined(last, detail, field);
      else this.#details.push(detail);
    }
    return text;
  }

  /** Null where nothing was told since it was taken. */
  take(): readonly JsonObject[] | null {
    const taken = this.#details;
    this.#details = [];
    return taken.length === 0 ? null : taken;
  }
}

const isSame = (one: JsonObject, other: JsonObject) =>
  one['type'] === other['type'] && one['index'] === other['index'];

function pieceOf({ type }: JsonObject): string | null {
  return typeof type === 'string' && Object.hasOwn(pieces, type) ? (pieces[type] ?? null) : null;
}

/** A signature, an id and a format may come with any piece, and null says nothing. */
function joined(before: JsonObject, more: JsonObject, field: string): JsonObject {
  const said = Object.entries(more).filter(([, value]) => value !== null);
  const [first, next] = [before[field], more[field]].map((text) => (typeof text === 'string' ? text : ''));
  return { ...before, ...Object.fromEntries(said), [field]: `${first}${next}` };
}
