import type { Json } from './json.ts';

/** A number that may have more digits than a double, or exceed its range. */
const longNumber = /\d(?:[\d.]{15}|[eE])/;
const digitsMax = 15;

/** ES2025; TypeScript's library does not declare it yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): Json;
  isRawJSON(value: unknown): boolean;
}
const exactJson = JSON as unknown as ExactJson;

/**
 * Like `JSON.parse`, for values that are passed on: numbers that a double would round keep their text, and
 * `JSON.stringify` writes it. Throws SyntaxError.
 */
export function parseExact(text: string): Json {
  if (!longNumber.test(text)) return JSON.parse(text) as Json;
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' &&
    source !== undefined &&
    (source.length > digitsMax || !Number.isFinite(value))
      ? exactJson.rawJSON(source)
      : value,
  ) as Json;
}

/** A number that `JSON.stringify` writes as given. */
export function toExactNumber(text: string): Json {
  return exactJson.rawJSON(text);
}

export function isExactNumber(value: Json): boolean {
  return exactJson.isRawJSON(value);
}
