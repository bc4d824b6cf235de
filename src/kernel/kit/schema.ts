import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { Json } from './json.ts';

/**
 * Nestor's additions to JSON Schema, left out of the published schema. `errorMessage` is the message of the node's
 * own failure (for a missing property: that property's), with `{value}` for the value; `errorCode` also covers
 * everything below; `tagCode` an unknown tag of a union; `unknownMessages` unknown fields by name, of a union unknown tags.
 */
export type ErrorKeywords = {
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

export const Count = Type.Integer({ minimum: 0 });

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

type Meanings<Fields> = { readonly [Name in keyof Fields & string]?: string };

/** For objects without other fields. */
export const strict = { additionalProperties: false };

/** An object whose fields are all known, described as `described` does. */
export function Strict<Fields extends TProperties>(fields: Fields, meanings?: Meanings<Fields>) {
  return Type.Object(meanings === undefined ? fields : described(fields, meanings), strict);
}

/** The same that passes over further fields. */
export function Open<Fields extends TProperties>(fields: Fields, meanings: Meanings<Fields>) {
  return Type.Object(described(fields, meanings));
}

/** Adds descriptions to fields by name, for the published description alone: validation is not affected. */
export function described<Fields extends TProperties>(fields: Fields, meanings: Meanings<Fields>): Fields {
  const texts: Readonly<Record<string, string | undefined>> = meanings;
  const described = Object.entries(fields).map(([name, schema]) => {
    const description = texts[name];
    return [name, description === undefined ? schema : Type.With(schema, { description })];
  });
  return Object.fromEntries(described) as Fields;
}

/** Names a shape, which the reference then describes once. A name must stand for one shape. */
export function named<Schema extends TSchema>(title: string, schema: Schema, description?: string): Schema {
  const words = description === undefined ? { title } : { title, description };
  return Type.With(schema, words) as unknown as Schema;
}

export const AnyObject = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });

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

export function intBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Integer({ minimum, maximum }), { errorMessage });
}

export function numberBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Number({ minimum, maximum }), { errorMessage });
}

export function oneOf<const Values extends readonly string[]>(name: string, values: Values) {
  const errorMessage = `${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return Nullable(Literals(values, { errorMessage }), { errorMessage });
}

/** Keywords of JSON Schema that the configuration and requests are checked by alike. */
export interface Bounds {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}
