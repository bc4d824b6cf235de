import type { Json } from './json.ts';

/** A number that a double may not hold: more digits than it has, or beyond its range. */
const longNumber = /\d{16}|\.\d{15}|\d[eE]/;
const digitsMax = 15;

/** Of the language since Node 21; what TypeScript knows of it is older. */
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
 * As `JSON.parse`, for what is written on and not calculated with: numbers that JavaScript would round are kept as
 * they were written, and `JSON.stringify` writes them so. Throws SyntaxError.
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

/** A number that `JSON.stringify` writes as it is given here. */
export function toExactNumber(text: string): Json {
  return exactJson.rawJSON(text);
}

export function isExactNumber(value: Json): boolean {
  return exactJson.isRawJSON(value);
}
