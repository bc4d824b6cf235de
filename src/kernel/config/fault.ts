import type { Shape } from './shape.ts';

/** An unusable configuration. The message is one line without secrets. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, ' '));
    this.name = 'ConfigError';
  }
}

/** Where a value came from. */
export interface Place {
  /** Dotted, with indices: `keys[0].deny`. Empty for the whole file. */
  readonly path: string;
  /** File or variable. */
  readonly source: string;
  /** Text with `${…}`, shown instead of its value, which might be secret. */
  readonly written?: string;
}

export function refuse(place: Place, shape: Shape, value: unknown): never {
  const given = value === undefined ? 'missing' : toGiven(shape, value, place.written);
  const subject = place.path === '' ? 'the configuration' : place.path;
  throw new ConfigError(`${place.source}: ${subject} is ${given}; allowed: ${toWords(shape)}`);
}

/** Shows only the kind of a scalar in place of a mapping or list: it may be a misplaced key. */
function toGiven(shape: Shape, value: unknown, written: string | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object') return 'a mapping';
  if (isSecret(shape)) {
    return typeof value === 'string' ? `hidden (${value.length} characters)` : `hidden (a ${typeof value})`;
  }
  if (!isScalar(shape)) return `a ${typeof value}`;
  if (written !== undefined) return toShown(written.replaceAll(/:-[^}]*\}/g, ':-…}'));
  if (typeof value === 'string') return toShown(value);
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

const isScalar = (shape: Shape): boolean =>
  shape.anyOf?.every(isScalar) ?? (shape.type !== 'object' && shape.type !== 'array');

/** Quotes and cuts; of an address, hides the user and the query. */
function toShown(value: string): string {
  const safe = value
    .replace(/^([a-z][a-z0-9+.-]*:\/*)?.*@/is, '$1****@')
    .replace(/(:\/\/[^?]*\?).*/s, '$1****');
  return JSON.stringify(safe.length > 60 ? `${safe.slice(0, 60)}…` : safe);
}

/** Describes what a shape allows, for errors. */
function toWords(shape: Shape): string {
  if (shape.allowed !== undefined) return shape.allowed;
  if (shape.anyOf !== undefined) {
    const types = shape.anyOf.flatMap(toTypes);
    return types.length > 0 ? `a mapping with type ${joinOr(types)}` : joinOr(shape.anyOf.map(toWords));
  }
  if (shape.enum !== undefined) return joinOr(shape.enum.map(String));
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.type === 'boolean') return 'true or false';
  if (shape.type === 'integer') return `an integer${toRange(shape)}`;
  if (shape.type === 'number') return `a number${toRange(shape)}`;
  if (shape.type === 'array')
    return shape.minItems === undefined ? 'a list' : `a list of at least ${shape.minItems}`;
  if (shape.type === 'object') return 'a mapping';
  return shape.type === 'null' ? 'null' : 'a string';
}

function toRange({ minimum, maximum, exclusiveMinimum }: Shape): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const bounds = [];
  if (minimum !== undefined) bounds.push(`at least ${minimum}`);
  if (exclusiveMinimum !== undefined) bounds.push(`above ${exclusiveMinimum}`);
  if (maximum !== undefined) bounds.push(`at most ${maximum}`);
  return bounds.length === 0
    ? ''
    : ` ${bounds.length === 1 && minimum !== undefined ? 'of ' : ''}${bounds.join(' and ')}`;
}

/** The values of `type` that select this variant of a union of mappings. */
export function toTypes(variant: Shape): readonly string[] {
  const type = variant.properties?.['type'];
  if (type?.const !== undefined) return [type.const];
  return type?.enum?.map(String) ?? [];
}

/** Whether the value is to be hidden. */
export const isSecret = (shape: Shape): boolean =>
  shape.secret !== undefined || (shape.anyOf?.some(isSecret) ?? false);

function joinOr(words: readonly string[]): string {
  const distinct = [...new Set(words)];
  const last = distinct.pop() ?? '';
  return distinct.length === 0 ? last : `${distinct.join(', ')} or ${last}`;
}
