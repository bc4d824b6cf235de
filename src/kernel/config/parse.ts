import type { Static, TSchema } from 'typebox';
import { ownValue } from '../kit/json.ts';
import { toEngineName } from '../engine-names.ts';
import { ConfigError, refuse, toTypes, type Place } from './fault.ts';
import { findNearest, toCamelName, toPath, type Camel } from './names.ts';
import { shorthands, type Shape } from './shape.ts';
import { findReferences, interpolate, type Environment } from './variables.ts';

/** Text from a variable, typed once its key is known. */
export class VariableText {
  readonly variable: string;
  readonly text: string;
  constructor(variable: string, text: string) {
    this.variable = variable;
    this.text = text;
  }
}

export interface Scope extends Place {
  readonly environment: Environment;
  /** Replaces `svc` in defaults. */
  readonly family: string;
}

/** Validates a tree, fills defaults, converts names to camelCase, and freezes. Throws a ConfigError. */
export function parseTree<S extends TSchema>(schema: S, raw: unknown, scope: Scope): Camel<Static<S>> {
  // Tests compare the result with TypeBox's own validator.
  return parseShape(schema, raw, scope) as Camel<Static<S>>;
}

function parseShape(shape: Shape, raw: unknown, scope: Scope): unknown {
  if (raw === undefined) return parseDefault(shape, scope);
  if (raw instanceof VariableText) {
    return parseValue(shape, toTyped(shape, raw.text), { ...scope, source: raw.variable });
  }
  if (typeof raw === 'string' && raw.includes('${')) {
    const text = interpolate(raw, scope.environment, scope);
    if (findReferences(raw).length === 0) return parseValue(shape, text, scope);
    return parseValue(shape, toTyped(shape, text), { ...scope, written: raw });
  }
  // A section or list whose entries are all commented out is null.
  if (raw === null && shape.default !== undefined && shape.properties !== undefined)
    return parseDefault(shape, scope);
  if (raw === null && shape.type === 'array' && shape.default !== undefined)
    return parseDefault(shape, scope);
  return parseValue(shape, raw, scope);
}

function parseDefault(shape: Shape, scope: Scope): unknown {
  if (shape.default === undefined) return refuse(scope, shape, undefined);
  return parseValue(shape, renameFamily(shape.default, scope.family), scope);
}

/** `svc-pro` -> `acme-pro`, `svc/svc` -> `acme/acme`. Contract 1.1. */
function renameFamily(value: unknown, family: string): unknown {
  if (typeof value === 'string') return value.replaceAll(/(?<=^|\/)svc(?=$|[-/])/g, family);
  if (Array.isArray(value)) return value.map((item) => renameFamily(item, family));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [renameFamily(key, family), renameFamily(item, family)]),
  );
}

function parseValue(shape: Shape, value: unknown, scope: Scope): unknown {
  if (shape.short !== undefined && (typeof value === 'string' || typeof value === 'number')) {
    const full = shorthands[shape.short](value);
    return isScalarFor(shape, value) ? parseValue(shape, full, scope) : refuse(scope, shape, value);
  }
  if (shape.anyOf !== undefined) return parseUnion(shape, shape.anyOf, value, scope);
  if (shape.patternProperties !== undefined) return parseMap(shape, value, scope);
  if (shape.properties !== undefined) return parseMapping(shape, shape.properties, value, scope);
  if (shape.type === 'array') return parseList(shape, value, scope);
  const meant = shape.isEngine === true && typeof value === 'string' ? toEngineName(value) : value;
  return isScalarFor(shape, meant) ? meant : refuse(scope, shape, value);
}

function parseUnion(shape: Shape, variants: readonly Shape[], value: unknown, scope: Scope): unknown {
  if (isMapping(value) && variants.some((variant) => toTypes(variant).length > 0)) {
    const chosen = variants.find((variant) => toTypes(variant).includes(String(value['type'])));
    if (chosen !== undefined) return parseValue(chosen, value, scope);
    const types: Shape = { enum: variants.flatMap(toTypes) };
    return refuse({ ...scope, path: toPath(scope.path, 'type') }, types, value['type']);
  }
  const chosen = findVariant(shape, value);
  return chosen === undefined ? refuse(scope, shape, value) : parseValue(chosen, value, scope);
}

/** The variant that a value is meant for, by its kind; a scalar has to fit. */
export function findVariant(shape: Shape, value: unknown): Shape | undefined {
  return shape.anyOf?.find((variant) => {
    if (Array.isArray(value)) return variant.type === 'array';
    if (!isMapping(value)) return isScalarFor(variant, value);
    const types = toTypes(variant);
    return variant.type === 'object' && (types.length === 0 || types.includes(String(value['type'])));
  });
}

function parseMapping(
  shape: Shape,
  known: Readonly<Record<string, Shape>>,
  value: unknown,
  scope: Scope,
): unknown {
  if (!isMapping(value)) return refuse(scope, shape, value);
  const names = Object.keys(known);
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(known, name)) refuseKey(name, names, scope);
  }
  const entries = Object.entries(known).map(([name, inner]) => {
    const raw = ownValue(value, name);
    return [toCamelName(name), parseShape(inner, raw, { ...scope, path: toPath(scope.path, name) })];
  });
  return Object.freeze(Object.fromEntries(entries));
}

function refuseKey(name: string, known: readonly string[], scope: Scope): never {
  const nearest = findNearest(name, known);
  const hint =
    nearest === undefined ? `allowed: ${known.join(', ')}` : `did you mean ${toPath(scope.path, nearest)}?`;
  throw new ConfigError(`${scope.source}: unknown key ${toPath(scope.path, name)}; ${hint}`);
}

/** Entries are merged with the default's, so naming one model keeps the others. */
function parseMap(shape: Shape, value: unknown, scope: Scope): unknown {
  if (!isMapping(value)) return refuse(scope, shape, value);
  const [found] = Object.entries(shape.patternProperties ?? {});
  if (found === undefined) return refuse(scope, shape, value);
  const [pattern, inner] = found;
  const wrong = shape.names && Object.keys(value).find((name) => !new RegExp(pattern, 'u').test(name));
  if (wrong !== undefined)
    throw new ConfigError(
      `${scope.source}: ${scope.path} has the name ${JSON.stringify(wrong)}; allowed: ${shape.names}`,
    );
  const defaults = renameFamily(shape.default ?? {}, scope.family);
  const entries = Object.entries({ ...(isMapping(defaults) ? defaults : {}), ...value }).map(
    ([name, raw]) => [name, parseShape(inner, raw, { ...scope, path: toPath(scope.path, name) })],
  );
  return Object.freeze(Object.fromEntries(entries));
}

function parseList(shape: Shape, value: unknown, scope: Scope): unknown {
  const items = shape.items;
  if (!Array.isArray(value) || items === undefined) return refuse(scope, shape, value);
  const count = value.length;
  if (count < (shape.minItems ?? 0) || count > (shape.maxItems ?? count)) return refuse(scope, shape, value);
  return Object.freeze(
    value.map((raw: unknown, index) => parseShape(items, raw, { ...scope, path: toPath(scope.path, index) })),
  );
}

function isScalarFor(shape: Shape, value: unknown): boolean {
  if (shape.short === 'id') return typeof value === 'string' && value !== '';
  if (shape.short !== undefined) return shape.items !== undefined && isScalarFor(shape.items, value);
  if (shape.anyOf !== undefined) return shape.anyOf.some((one) => isScalarFor(one, value));
  if (shape.enum !== undefined) return shape.enum.some((one) => one === value);
  if (shape.const !== undefined) return shape.const === value;
  if (shape.type === 'null') return value === null;
  if (shape.type === 'boolean') return typeof value === 'boolean';
  if (shape.type === 'string') return typeof value === 'string' && isTextFor(shape, value);
  if (shape.type !== 'number' && shape.type !== 'integer') return false;
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (shape.type === 'integer' && !Number.isSafeInteger(value)) return false;
  const { minimum = value, maximum = value, exclusiveMinimum = -Infinity } = shape;
  return value >= minimum && value <= maximum && value > exclusiveMinimum;
}

function isTextFor({ minLength = 0, pattern, check }: Shape, text: string): boolean {
  if (text.length < minLength) return false;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return false;
  if (check === 'url') return URL.canParse(text);
  // Origins are compared literally with what browsers send.
  if (check === 'origin' && /^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return true;
}

/** Converts text to the type of its key; text that does not fit stays text, and is refused. */
function toTyped(shape: Shape, text: string): unknown {
  if (shape.type === 'array' && shape.short !== undefined) return toTyped(shape.items ?? {}, text);
  if (shape.type === 'array') {
    return text === '' ? [] : text.split(',').map((item) => toTyped(shape.items ?? {}, item.trim()));
  }
  const candidates: unknown[] = [];
  if (text === 'null') candidates.push(null);
  if (text === 'true' || text === '1') candidates.push(true);
  if (text === 'false' || text === '0') candidates.push(false);
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) candidates.push(Number(text));
  const variants = shape.anyOf ?? [shape];
  const typed = candidates.find((value) => variants.some((variant) => isScalarFor(variant, value)));
  return typed === undefined ? text : typed;
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof VariableText);
