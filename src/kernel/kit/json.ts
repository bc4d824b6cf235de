/** Any JSON value. Parsed objects may own keys such as `__proto__`. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an object holds itself: a name that a caller chose may be `constructor`. */
export function ownValue<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** `size`: too many items. `path` leads to the object that holds the duplicate name; names are raw. */
export class JsonError extends Error {
  readonly kind: 'syntax' | 'duplicate' | 'depth' | 'size';
  readonly key: string;
  readonly path: readonly string[];

  constructor(kind: JsonError['kind'], path: readonly string[] = [], key = '') {
    super(`JSON refused: ${kind}`);
    this.name = 'JsonError';
    this.kind = kind;
    this.path = path;
    this.key = key;
  }
}

/** The fields of an object that have these names. Others may be any number, so that leaving them out one by one would last. */
export function fieldsNamed<T extends object, Name extends keyof T & string>(
  object: T,
  names: readonly Name[],
): Pick<T, Name> {
  const own = names.flatMap((name) => (Object.hasOwn(object, name) ? [[name, object[name]] as const] : []));
  return Object.fromEntries(own) as Pick<T, Name>;
}
