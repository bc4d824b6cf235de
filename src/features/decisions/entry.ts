import { Type } from 'typebox';
import type { Json } from '../../kernel/kit/json.ts';
import { Dictionary } from '../../kernel/kit/schema.ts';

/** Text or structured content: the type of a state, of instructions and of descriptions. */
export const Entry = Type.Union([
  Type.String(),
  Dictionary(Type.Unsafe<Json>({})),
  Type.Array(Type.Unsafe<Json>({})),
]);

/** The same, or null where a name says it all. */
export const NullableEntry = Type.Union([...Entry.anyOf, Type.Null()], {
  errorMessage: 'A description must be a string, object, array or null',
});

/** Instructions and definitions that say nothing count as absent. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
