import { isSecret, toWords } from './describe-shape.ts';
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
