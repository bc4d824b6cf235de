import { Type, type TSchema } from 'typebox';

/**
 * The part of JSON Schema that the configuration is written in, as the parser and the printers read it, plus four
 * notes of our own (`allowed`, `secret`, `check`, `short`) that never leave the process.
 */
export interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** What is allowed, in words, where the schema's own bounds would read badly. */
  readonly allowed?: string;
  /** Hidden in errors; `nestor config` hides all of it, or of an address only the password. */
  readonly secret?: 'whole' | 'password';
  /** A rule that a pattern cannot say. */
  readonly check?: 'url' | 'origin';
  /** A scalar may stand here; it means the full form that this names. */
  readonly short?: keyof typeof shorthands;
}

/** How a scalar becomes the full form, so that only the full form exists behind the parser. */
export const shorthands = {
  id: (value: unknown): unknown => ({ id: value }),
  one: (value: unknown): unknown => [value],
  everyTier: (value: unknown): unknown => Array.from({ length: 6 }, () => value),
} as const;

/** A mapping whose keys are all known and all have defaults; absent or empty, it is all defaults. */
export function section<const P extends Record<string, TSchema>>(properties: P, description: string) {
  return Type.Object(properties, { additionalProperties: false, default: {}, description });
}

/** A mapping with known keys of which some are required, as the entries of lists are. */
export function entry<const P extends Record<string, TSchema>>(properties: P, description: string) {
  return Type.Object(properties, { additionalProperties: false, description });
}

/** A free map: its keys are the operator's words and stay as written. */
export function map<T extends TSchema>(
  value: T,
  options: { readonly default?: unknown; description: string },
) {
  return Type.Record(Type.String(), value, { default: {}, ...options });
}

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

export const retentionDays = (days: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 3650, default: days, description: `${description} Unit: days.` });

export const toggle = (value: boolean, description: string) => Type.Boolean({ default: value, description });

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

/** A key of another service. Its shape is that service's affair; it only has to fit in a header. */
export const secret = (description: string) =>
  Type.String({
    pattern: '^[!-~]+$',
    secret: 'whole',
    allowed: 'a string of printable ASCII characters without spaces (quote a number)',
    description,
  });

/** A key that opens this server. Contract 4.2. */
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

/** A path of a file; null where none is named. */
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

/** The rest of an error about an engine that is named without the servers it forwards to. */
export const lacksUpstreams = (path: string, engine: string): string =>
  `is ${engine}, but ${path}.upstreams is empty; allowed: ${engine} with at least one upstream`;
