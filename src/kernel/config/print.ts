import { stringify } from 'yaml';
import { isSecret } from './fault.ts';
import { toCamelName } from './names.ts';
import { findVariant } from './parse.ts';
import type { Shape } from './shape.ts';
import { escapeReferences } from './variables.ts';

/** A parsed value as YAML with the file's names and hidden secrets; without secrets it parses to the same value. */
export const printYaml = (shape: Shape, value: unknown): string =>
  stringify(toWritten(shape, value), { lineWidth: 0 });

function toWritten(shape: Shape, value: unknown): unknown {
  if (typeof value === 'string') return escapeReferences(hide(shape, value));
  if (typeof value !== 'object' || value === null) return value;
  if (shape.anyOf !== undefined) return toWritten(findVariant(shape, value) ?? {}, value);
  if (Array.isArray(value)) return value.map((item: unknown) => toWritten(shape.items ?? {}, item));
  const [inner] = Object.values(shape.patternProperties ?? {});
  if (inner !== undefined) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toWritten(inner, item)]));
  }
  const known = Object.entries(shape.properties ?? {});
  return Object.fromEntries(
    known.map(([name, one]): [string, unknown] => [
      name,
      toWritten(one, Reflect.get(value, toCamelName(name))),
    ]),
  );
}

function hide(shape: Shape, value: string): string {
  const variants = shape.anyOf ?? [shape];
  if (variants.some(({ secret, check }) => secret === 'password' || check === 'url'))
    return hidePassword(value);
  if (!isSecret(shape)) return value;
  return value.length >= 16 ? `****${value.slice(-4)}` : '****';
}

/** Hides the password and secret query parameters of an address. */
function hidePassword(address: string): string {
  // A password with a bare `/` or `@` does not parse: then everything up to the last `@` is hidden.
  const password = URL.canParse(address) ? /^([^:]+:\/\/[^:@/?#]*):[^/?#]*@/ : /^([^:]+:\/\/[^:@]*):.*@/s;
  return address
    .replace(password, '$1:****@')
    .replaceAll(/([?&][^=&]*(?:key|token|secret|password)[^=&]*=)[^&]*/gi, '$1****');
}

const draft = 'https://json-schema.org/draft/2020-12/schema';
const variable = { $ref: '#/$defs/variable' };

/** JSON Schema of the file for editors, including `${NAME}` and short forms. */
export function toJsonSchema(shape: Shape): Record<string, unknown> {
  const $defs = {
    variable: { type: 'string', pattern: String.raw`\$\{`, description: '${NAME} or ${NAME:-default}.' },
  };
  const head = { $schema: draft, $id: 'urn:nestor:configuration', title: 'Nestor configuration' };
  return { ...head, ...toSchema(shape), $defs };
}

function toSchema(shape: Shape): Record<string, unknown> {
  const { description, default: fallback, ...rest } = shape;
  const notes = {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
  const body = toBody(rest);
  if (shape.short !== undefined) return { ...notes, anyOf: [toShort(shape), body, variable] };
  if (takesVariable(shape))
    return { ...notes, anyOf: [...(Array.isArray(body['anyOf']) ? body['anyOf'] : [body]), variable] };
  return { ...notes, ...body };
}

/** Scalars that need an alternative for `${…}`. `const` selects a variant before variables are resolved. */
function takesVariable(shape: Shape): boolean {
  if (shape.anyOf !== undefined) return shape.anyOf.every((one) => one.type === 'null' || takesVariable(one));
  if (shape.const !== undefined) return false;
  return (
    shape.enum !== undefined ||
    shape.pattern !== undefined ||
    /^(integer|number|boolean)$/.test(shape.type ?? '')
  );
}

function toBody(shape: Shape): Record<string, unknown> {
  const { allowed: _allowed, secret: _secret, names: _names, isEngine: _isEngine, ...known } = shape;
  const { check, short: _short, ...rest } = known;
  const { required, properties, patternProperties, items, anyOf, ...plain } = rest;
  const body: Record<string, unknown> = { ...plain, ...(check === 'url' ? { format: 'uri' } : {}) };
  if (anyOf !== undefined) body['anyOf'] = anyOf.map((one) => (one.properties ? toSchema(one) : toBody(one)));
  if (items !== undefined) body['items'] = toSchema(items);
  if (patternProperties !== undefined)
    body['additionalProperties'] = Object.values(patternProperties).map(toSchema)[0];
  if (properties !== undefined) {
    body['properties'] = mapValues(properties, toSchema);
    const needed = (required ?? []).filter((name) => properties[name]?.default === undefined);
    if (needed.length > 0) body['required'] = needed;
  }
  return body;
}

/** The scalar short form. */
function toShort({ items }: Shape): Record<string, unknown> {
  if (items === undefined) return { type: 'string', minLength: 1 };
  return toBody(items.anyOf?.find((one) => one.properties === undefined) ?? items);
}

const mapValues = (record: Readonly<Record<string, Shape>>, convert: (shape: Shape) => unknown) =>
  Object.fromEntries(
    Object.entries(record).map(([name, shape]): [string, unknown] => [name, convert(shape)]),
  );
