import { Type, type TSchema, type TSchemaOptions } from 'typebox';
import type { Bounds } from '../kit/schema.ts';

/**
 * The subset of JSON Schema used by the configuration, plus internal notes: `allowed`, `secret`, `check`, `short`,
 * `names`, `isEngine`.
 */
export interface Shape extends Bounds {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string;
  /** Describes what is allowed where the bounds would read badly. */
  readonly allowed?: string;
  /** Hidden in errors; `nestor config` hides all of it, or only an address's password. */
  readonly secret?: 'whole' | 'password';
  /** A rule beyond patterns. */
  readonly check?: 'url' | 'origin';
  /** A scalar may replace the full form named here. */
  readonly short?: keyof typeof shorthands;
  /** Describes which names a map allows, where it does not allow all. */
  readonly names?: string;
  /** Names of engines: one that was renamed is also taken by the name that it had. */
  readonly isEngine?: boolean;
}

/** Expands scalars into the full form. */
export const shorthands = {
  id: (value: unknown): unknown => ({ id: value }),
  one: (value: unknown): unknown => [value],
  everyTier: (value: unknown): unknown => Array.from({ length: 6 }, () => value),
} as const;

/** A mapping whose keys all have defaults, as has the mapping. */
export function section<const P extends Record<string, TSchema>>(properties: P, description: string) {
  return Type.Object(properties, { additionalProperties: false, default: {}, description });
}

/** A mapping with required keys, such as a list entry. */
export function entry<const P extends Record<string, TSchema>>(properties: P, description: string) {
  return Type.Object(properties, { additionalProperties: false, description });
}

/** A map with keys chosen by the operator. */
export function map<T extends TSchema>(
  value: T,
  options: { readonly default?: unknown; description: string },
) {
  return Type.Record(Type.String(), value, { default: {}, ...options });
}

/** Headers of requests to a server. What cannot be sent would fail every one of them. */
export const headers = (description: string) =>
  Type.Record(
    Type.String({ pattern: String.raw`^[!#$%&'*+.^_|~0-9A-Za-z\x60-]+$` }),
    Type.String({
      pattern: String.raw`^[\t\x20-\x7e\x80-\xff]+$`,
      secret: 'whole',
      allowed: 'a string of one line of printable Latin characters (quote a number)',
      description: 'Value of the header.',
    }),
    { default: {}, names: 'the name of a header, such as X-Team', description },
  );

export function nullable<T extends TSchema>(schema: T, description: string) {
  return Type.Union([schema, Type.Null()], { default: null, description });
}

export const timeout = (seconds: number, description: string) =>
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 86_400,
    default: seconds,
    description: `${description} Unit: s.`,
  });

/** A time that may be none, such as that for which something is kept. */
export const duration = (seconds: number, maximum: number, description: string) =>
  Type.Number({ minimum: 0, maximum, default: seconds, description: `${description} Unit: s.` });

/** A whole number between two bounds, which are allowed. */
export const whole = (value: number, [minimum, maximum]: readonly [number, number], description: string) =>
  Type.Integer({ minimum, maximum, default: value, description });

export const retentionDays = (days: number, description: string) =>
  whole(days, [1, 3650], `${description} Unit: days.`);

export const toggle = (value: boolean, description: string) => Type.Boolean({ default: value, description });

/** One of some words, which a list gives. */
export const oneOf = <const W extends string>(words: readonly W[], options: TSchemaOptions) =>
  Type.Unsafe<W>(Type.Enum(Object.fromEntries(words.map((word) => [word, word])), options));

/** One of some engines. */
export const engineOf = (names: readonly string[], options: TSchemaOptions) =>
  oneOf(names, { ...options, isEngine: true });

export const text = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({ minLength: 1, allowed: 'a non-empty string', description, ...options });

export const url = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({
    pattern: String.raw`^https?://[^\s/?#]+[^\s#]*$`,
    check: 'url',
    allowed: 'an http:// or https:// URL',
    description,
    ...options,
  });

/** A key of another service; it only has to fit in a header. */
export const secret = (description: string) =>
  Type.String({
    pattern: '^[!-~]+$',
    secret: 'whole',
    allowed: 'a string of printable ASCII characters without spaces (quote a number)',
    description,
  });

/** A key of this server. Contract 4.2. */
export const ownKey = (description: string) =>
  Type.String({
    pattern: '^[!-~]{16,256}$',
    secret: 'whole',
    allowed: 'a string of 16 to 256 printable ASCII characters without spaces (quote a number)',
    description,
  });

export const slug = (description: string, options: Record<string, unknown> = {}) =>
  Type.String({
    pattern: '^[a-z][a-z0-9-]{0,31}$',
    allowed: '1 to 32 characters of a-z, 0-9 and "-", the first a letter',
    description,
    ...options,
  });

/** An optional path of a file. */
export const filePath = (description: string) => nullable(text(description), description);

const Upstream = entry(
  {
    url: url('Address of the server.'),
    key: nullable(secret('API key.'), 'API key of the server; null sends none.'),
    model: nullable(text('Model.'), 'Model name to send; null sends jev-latest to systemone.'),
  },
  'A server that the engine forwards to.',
);
export const upstreams = (description: string) => Type.Array(Upstream, { default: [], description });

/** Error text for an engine without servers to forward to. */
export const lacksUpstreams = (path: string, engine: string): string =>
  `is ${engine}, but ${path}.upstreams is empty; allowed: ${engine} with at least one upstream`;
