import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { Json } from './json.ts';

/**
 * Keywords that Nestor adds to JSON Schema. A node that fails itself answers with its own
 * `errorMessage` (for a missing property: that property's), in which `{value}` stands for the value at fault; `errorCode`
 * also covers everything below the node, `tagCode` only a union's tag that names none of its members; `unknownMessages`
 * are those of fields that an object does not know, by their name. None of them reaches the published schema.
 */
type ErrorKeywords = {
  readonly errorMessage?: string;
  readonly errorCode?: string;
  readonly tagCode?: string;
  readonly unknownMessages?: Readonly<Record<string, string>>;
};

/** The same schema, read under these keywords. */
export function withErrors<Schema extends TSchema>(schema: Schema, keywords: ErrorKeywords): Schema {
  return { ...schema, ...keywords };
}

/** An object with names chosen by the caller. TypeBox's Record would let names with line breaks go unchecked. */
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

/** A field that may be absent, and for which null means absent. */
export function Nullable<Value extends TSchema>(value: Value, options: ErrorKeywords = {}) {
  return Type.Optional(Type.Union([value, Type.Null()], options));
}

/** A number in [0,1]. */
export const Probability = Type.Number({ minimum: 0, maximum: 1 });

/** For objects whose fields are all known. */
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

/** An integer that may be absent. */
export function intBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Integer({ minimum, maximum }), { errorMessage });
}

/** A number that may be absent. */
export function numberBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Number({ minimum, maximum }), { errorMessage });
}

/** One of some words, which may be absent. */
export function oneOf<const Values extends readonly string[]>(name: string, values: Values) {
  const errorMessage = `${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return Nullable(Literals(values, { errorMessage }), { errorMessage });
}
