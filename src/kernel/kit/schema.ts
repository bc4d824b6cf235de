import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { Json } from './json.ts';

/**
 * Nestor's additions to JSON Schema, left out of the published schema. `errorMessage` is the message of the node's
 * own failure (for a missing property: that property's), with `{value}` for the value; `errorCode` also covers
 * everything below; `tagCode` an unknown tag of a union; `unknownMessages` unknown fields by name.
 */
type ErrorKeywords = {
  readonly errorMessage?: string;
  readonly errorCode?: string;
  readonly tagCode?: string;
  readonly unknownMessages?: Readonly<Record<string, string>>;
};

/** The same schema with these keywords. */
export function withErrors<Schema extends TSchema>(schema: Schema, keywords: ErrorKeywords): Schema {
  return { ...schema, ...keywords };
}

/** An object with names chosen by the caller. TypeBox's Record would not check names with line breaks. */
export function Dictionary<Value extends TSchema>(
  value: Value,
  options: ErrorKeywords & {
    readonly minProperties?: number;
    readonly maxProperties?: number;
    readonly propertyNames?: TSchema;
    readonly description?: string;
  } = {},
): TUnsafe<Record<string, Static<Value>>> {
  return Type.Unsafe<Record<string, Static<Value>>>({
    type: 'object',
    additionalProperties: value,
    ...options,
  });
}

/** An optional field; null means absent. */
export function Nullable<Value extends TSchema>(value: Value, options: ErrorKeywords = {}) {
  return Type.Optional(Type.Union([value, Type.Null()], options));
}

export const Probability = Type.Number({ minimum: 0, maximum: 1 });

/** For objects without other fields. */
export const strict = { additionalProperties: false };

/** An object whose fields are all known. */
export function Strict<Fields extends TProperties>(fields: Fields, options: { description?: string } = {}) {
  return Type.Object(fields, { ...strict, ...options });
}

/** Any JSON object. */
export const AnyObject = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });

/** One of some words. */
export function Literals<const Values extends readonly string[]>(
  values: Values,
  options: ErrorKeywords = {},
): TUnsafe<Values[number]> {
  return Type.Unsafe(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  );
}

/** An optional integer. */
export function intBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Integer({ minimum, maximum }), { errorMessage });
}

/** An optional number. */
export function numberBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Number({ minimum, maximum }), { errorMessage });
}

/** One of some words, optional. */
export function oneOf<const Values extends readonly string[]>(name: string, values: Values) {
  const errorMessage = `${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return Nullable(Literals(values, { errorMessage }), { errorMessage });
}
