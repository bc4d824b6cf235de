import { isList, listOf, objectOf } from '../../../../kernel/kit/json-fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';

/** Keywords that constrain a value and that the grammar does not enforce. */
const unenforced = `pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf uniqueItems not if
  contains dependentRequired dependentSchemas propertyNames minProperties maxProperties patternProperties unevaluatedProperties dependencies`.split(
  /\s+/,
);

/** Keywords that do not constrain a value. */
export const annotations = new Set(
  'title description default examples $schema $id $comment $defs definitions deprecated readOnly writeOnly'.split(
    ' ',
  ),
);
export const mergeable = new Set(['properties', 'required', 'type']);

export function isUnenforced(schema: JsonObject): boolean {
  return unenforced.some((key) => Object.hasOwn(schema, key)) && !isNatural(schema);
}

export function impliedType(schema: JsonObject): string | undefined {
  const has = (...keys: readonly string[]) => keys.some((key) => Object.hasOwn(schema, key));
  if (has('properties', 'additionalProperties', 'required')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return 'array';
  return has('minLength', 'maxLength', 'format', 'pattern') ? 'string' : undefined;
}

/** The one bound of a number that costs nothing to keep. */
export function isNatural(schema: JsonObject): boolean {
  const others = unenforced.some((key) => key !== 'minimum' && Object.hasOwn(schema, key));
  return schema.type === 'integer' && schema.minimum === 0 && !others;
}

/** Whether the types of the branches differ, so that a value fits one of them only. */
export function areApart(branches: readonly Json[]): boolean {
  const kinds = branches.map((branch) => (isJsonObject(branch) ? branch.type : undefined));
  return (
    kinds.every((kind) => typeof kind === 'string') &&
    new Set(kinds).size === kinds.length &&
    !(kinds.includes('number') && kinds.includes('integer'))
  );
}

/**
 * How many branches of a union may be under way at once: objects whose first property has the same name and no other
 * constant, and lists. Branches that begin with another character or name are ruled out at once.
 */
export function alikeOf(branches: readonly Json[]): number {
  const beginnings = branches.flatMap((branch) => beginningOf(branch) ?? []);
  const counts = beginnings.map(({ kind, constant }) => {
    const others = beginnings.filter((one) => one.kind === kind || one.kind === 'any' || kind === 'any');
    return others.filter((one) => one.constant === null || constant === null || one.constant === constant)
      .length;
  });
  return Math.max(1, ...counts);
}

/** Null for what holds no other values. */
function beginningOf(branch: Json): { readonly kind: string; readonly constant: string | null } | null {
  if (!isJsonObject(branch)) return { kind: 'any', constant: null };
  if (Object.hasOwn(branch, 'const') || Object.hasOwn(branch, 'enum')) return null;
  const type = branch.type ?? impliedType(branch);
  if (type === 'array') return { kind: 'array', constant: null };
  if (type !== 'object') return typeof type === 'string' ? null : { kind: 'any', constant: null };
  const [first] = Object.entries(objectOf(branch.properties));
  if (first === undefined || !listOf(branch.required)?.includes(first[0]))
    return { kind: 'any', constant: null };
  const said = objectOf(first[1]);
  const only = isList(said.enum) && said.enum.length === 1 ? said.enum[0] : said.const;
  return { kind: `object ${first[0]}`, constant: only === undefined ? null : JSON.stringify(only) };
}

/** The value that a reference inside the document points to. */
export function at(document: Json, reference: string): Json | undefined {
  if (reference === '#') return document;
  if (!reference.startsWith('#/')) return undefined;
  let found: Json | undefined = document;
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

export function sizeOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}
