import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';

/** Readers for fields of JSON that other servers and callers wrote: what has another type counts as absent. */

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function listOf(value: Json | undefined): readonly Json[] | null {
  return isList(value) ? value : null;
}

/** A count that is at least 1. */
export function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}
