import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';

/** What says something about a value that the grammar does not. */
const unheeded = [
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
  'not',
  'if',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'patternProperties',
  'unevaluatedProperties',
  'dependencies',
];

/** What says nothing about a value. */
export const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
/** What several schemas may say side by side. */
export const mergeable = new Set(['properties', 'required', 'type']);

/** Whether a schema says what no grammar of ours heeds. */
export function isUnheeded(schema: JsonObject): boolean {
  return unheeded.some((key) => Object.hasOwn(schema, key)) && !isNatural(schema);
}

/** The type that a schema means without naming it. */
export function impliedType(schema: JsonObject): string | undefined {
  const says = (...keys: readonly string[]) => keys.some((key) => Object.hasOwn(schema, key));
  if (says('properties', 'additionalProperties', 'required')) return 'object';
  if (says('items', 'prefixItems', 'minItems', 'maxItems')) return 'array';
  return says('minLength', 'maxLength', 'format', 'pattern') ? 'string' : undefined;
}

/** The one bound of a number that costs nothing to keep. */
export function isNatural(schema: JsonObject): boolean {
  const others = unheeded.some((key) => key !== 'minimum' && Object.hasOwn(schema, key));
  return schema.type === 'integer' && schema.minimum === 0 && !others;
}

/** Whether constants or types tell the branches apart, so that a value of one is none of another. */
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
 * constant, and lists. What begins with an unlike character or name is told apart at once.
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

/** What a reference inside the document points to. */
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

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function listOf(value: Json | undefined): readonly Json[] | null {
  return isList(value) ? value : null;
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function sizeOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}
