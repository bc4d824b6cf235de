import type { Shape } from './shape.ts';

/** Describes what a shape allows, for errors. */
export function toWords(shape: Shape): string {
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

export function joinOr(words: readonly string[]): string {
  const distinct = [...new Set(words)];
  const last = distinct.pop() ?? '';
  return distinct.length === 0 ? last : `${distinct.join(', ')} or ${last}`;
}
