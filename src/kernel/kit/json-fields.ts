import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** Readers for fields of JSON that other servers and callers wrote: what has another type counts as absent. */

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function listOf(value: Json | undefined): readonly Json[] | null {
  return isList(value) ? value : null;
}

/** The objects of a list; none where there is no list. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isJsonObject) : [];
}

/** Empty for what is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The value of a JSON text; the text itself where it is none. */
export function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** A count that is at least 1. */
export function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}
