import { isList } from '../../../../kernel/kit/json-fields.ts';
import { withDigits } from '../../../../kernel/kit/json-digits.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';

/**
 * A JSON Schema as the wire's structured outputs take it: objects are closed, and what is not enforced there (lengths,
 * ranges, patterns) is described to the model instead. Null for what they refuse: recursion, open
 * objects, more than 24 optional properties, a root that is no object.
 */
export function toClosedSchema(schema: JsonObject): JsonObject | null {
  if (schema['type'] !== 'object' || isRecursive(schema)) return null;
  const found = { open: false, optional: 0 };
  const closed = close(schema, found);
  return found.open || found.optional > optionalMax ? null : closed;
}

const optionalMax = 24;
const copied = ['$ref', 'title', 'description', 'default', 'const', 'enum', 'type', 'required'];
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));
/** Keywords that are not enforced, and described to the model instead. */
const described =
  `minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems
  minProperties maxProperties`.split(/\s+/);

interface Found {
  open: boolean;
  optional: number;
}

function close(schema: JsonObject, found: Found): JsonObject {
  const node = withDigits(schema);
  const closed: Record<string, Json> = {};
  for (const key of copied) if (node[key] !== undefined) closed[key] = node[key];
  for (const key of ['$defs', 'definitions']) {
    if (isJsonObject(node[key])) closed[key] = closeEach(node[key], found);
  }
  const anyOf = node['anyOf'] ?? node['oneOf'];
  const { allOf } = node;
  if (isList(anyOf)) closed['anyOf'] = anyOf.map((item) => closeAny(item, found));
  if (isList(allOf)) closed['allOf'] = allOf.map((item) => closeAny(item, found));
  if (node['items'] !== undefined) closed['items'] = closeAny(node['items'], found);
  const { type, format } = node;
  const isObject = type === 'object' || (isList(type) && type.includes('object'));
  if (isObject || node['properties'] !== undefined) closeObject(node, closed, found);
  if (typeof format === 'string' && formats.has(format)) closed['format'] = format;
  const rules = describeRules(node);
  if (rules !== '') {
    const description = typeof node['description'] === 'string' ? `${node['description']}\n` : '';
    closed['description'] = description + rules;
  }
  return closed;
}

function closeAny(value: Json, found: Found): Json {
  if (isJsonObject(value)) return close(value, found);
  // `true` stands for anything at all.
  if (value === true || isList(value)) found.open = true;
  return value;
}

function closeEach(schemas: JsonObject, found: Found): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, closeAny(value, found)]));
}

function closeObject(node: JsonObject, closed: Record<string, Json>, found: Found): void {
  const { properties, additionalProperties: more, patternProperties } = node;
  const isOpen = more === true || isJsonObject(more) || patternProperties !== undefined;
  if (isOpen || (properties === undefined && more !== false)) found.open = true;
  closed['additionalProperties'] = false;
  if (!isJsonObject(properties)) return;
  const required = new Set(isList(node['required']) ? node['required'] : []);
  found.optional += Object.keys(properties).filter((name) => !required.has(name)).length;
  closed['properties'] = closeEach(properties, found);
}

function describeRules(node: JsonObject): string {
  const { format } = node;
  const rules = described.filter((key) => node[key] !== undefined && node[key] !== false);
  const texts = rules.map((key) => `${key}: ${JSON.stringify(node[key])}`);
  if (typeof format === 'string' && !formats.has(format)) texts.push(`format: ${format}`);
  return texts.join('; ');
}

/** Whether following local references comes back to where it began. */
function isRecursive(root: JsonObject): boolean {
  const done = new Set<string>();
  const visit = (pointer: string, way: ReadonlySet<string>): boolean => {
    if (way.has(pointer)) return true;
    if (done.has(pointer)) return false;
    const inside = referencesOf(resolve(root, pointer), pointer === '#');
    const longer = new Set(way).add(pointer);
    const found = inside.some((next) => visit(next, longer));
    done.add(pointer);
    return found;
  };
  return visit('#', new Set());
}

function resolve(root: JsonObject, pointer: string): Json | undefined {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Json | undefined>((node, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(node)) return node[Number(name)];
    return isJsonObject(node) ? node[name] : undefined;
  }, root);
}

/** Local references inside a schema. Definitions are followed only from where they are used. */
function referencesOf(node: Json | undefined, isRoot: boolean): string[] {
  if (isList(node)) return node.flatMap((item) => referencesOf(item, false));
  if (!isJsonObject(node)) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === '$ref') return typeof value === 'string' && value.startsWith('#') ? [value] : [];
    if (isRoot && (key === '$defs' || key === 'definitions')) return [];
    return referencesOf(value, false);
  });
}
