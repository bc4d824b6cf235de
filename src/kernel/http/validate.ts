import { Compile } from 'typebox/schema';
import { Format } from 'typebox/format';
import type { TSchema } from 'typebox';
import { isJsonObject, type JsonObject } from '../kit/json.ts';
import type { Bounds, ErrorKeywords } from '../kit/schema.ts';

/** The first problem of a value, in the order of schema fields, then of the caller's own names. */
export interface Problem {
  readonly kind:
    | 'missing'
    | 'unknown'
    | 'type'
    | 'enum'
    | 'discriminator'
    | 'too_short'
    | 'too_long'
    | 'too_small'
    | 'too_large'
    | 'pattern'
    | 'format'
    | 'rule';
  /** Names and indices that lead to the value. */
  readonly path: readonly string[];
  readonly message: string | undefined;
  /** Fault code chosen by the schema. */
  readonly code: string | undefined;
  readonly schema: Node;
  /** Undefined where it is missing. */
  readonly value: unknown;
}

export interface Node extends Bounds, ErrorKeywords {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: boolean | Node;
  readonly propertyNames?: Node;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Node;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly exclusiveMaximum?: number;
  /** The field that a rule of this object is about. */
  readonly ruleField?: string;
  readonly '~refine'?: readonly { check(value: unknown): boolean; error(value: unknown): string }[];
}

type KeysOf = (object: JsonObject) => readonly string[];

export type Validator = ReturnType<typeof createValidator>;

/**
 * Compiles a schema with the first value, because a server has more operations than most clients call. Valid values cost
 * one generated function; only invalid ones are walked.
 */
export function createValidator(schema: TSchema) {
  let compiled: ReturnType<typeof Compile> | null = null;
  return {
    check: (value: unknown): boolean => (compiled ??= Compile(schema)).Check(value),
    explain: (value: unknown, keysOf: KeysOf = Object.keys): Problem | null =>
      new Walk(keysOf).visit(schema, value, [], undefined),
  };
}

type Path = readonly string[];

class Walk {
  readonly #keysOf: KeysOf;

  constructor(keysOf: KeysOf) {
    this.#keysOf = keysOf;
  }

  visit(schema: Node, value: unknown, path: Path, inherited: string | undefined): Problem | null {
    const code = schema.errorCode ?? inherited;
    const fail = (kind: Problem['kind'], message = schema.errorMessage): Problem => {
      return { kind, path, message, code, schema, value };
    };
    if (schema.anyOf)
      return this.#union(schema, schema.anyOf, value, path, code) ?? this.#rules(schema, value, fail);
    const own = checkOwn(schema, value);
    if (own !== null) return fail(own);
    const deeper = this.#object(schema, value, path, code) ?? this.#items(schema, value, path, code);
    return deeper ?? this.#rules(schema, value, fail);
  }

  /** Picks the member that was meant, to report its problem. */
  #union(
    schema: Node,
    members: readonly Node[],
    value: unknown,
    path: Path,
    code: string | undefined,
  ): Problem | null {
    const candidates = members.filter((member) => fitsType(member, value));
    const message = schema.errorMessage;
    const problem = (kind: Problem['kind']): Problem => ({ kind, path, message, code, schema, value });
    const [first, ...others] = candidates;
    if (first === undefined) return problem(members.every((member) => 'const' in member) ? 'enum' : 'type');
    if (others.length === 0) {
      const own = this.visit(first, value, path, code);
      const untold = own !== null && own.message === undefined && own.path.length === path.length;
      return untold ? { ...own, message } : own;
    }
    const tag = discriminatorOf(candidates);
    if (tag !== null && isJsonObject(value)) {
      const member =
        candidates.find((candidate) =>
          Object.hasOwn(value, tag)
            ? candidate.properties?.[tag]?.const === value[tag]
            : !candidate.required?.includes(tag),
        ) ?? candidates.find((candidate) => isOpen(candidate, tag));
      return member
        ? this.visit(member, value, path, code)
        : {
            ...problem('discriminator'),
            path: [...path, tag],
            message: messageOfUnknown(schema, ownValue(value, tag)) ?? message,
            code: schema.tagCode ?? code,
            value: ownValue(value, tag),
          };
    }
    if (candidates.some((member) => this.visit(member, value, path, code) === null)) return null;
    return problem('enum');
  }

  /** Reports unknown fields, then declared ones in declared order, then others in the caller's order. */
  #object(schema: Node, value: unknown, path: Path, code: string | undefined): Problem | null {
    if (!isJsonObject(value)) return null;
    const declared = schema.properties ?? {};
    const names = this.#keysOf(value);
    if (schema.additionalProperties === false) {
      const unknown = names.find((name) => !Object.hasOwn(declared, name));
      if (unknown !== undefined) {
        const message = messageOfUnknown(schema, unknown);
        const at = [...path, unknown];
        return { kind: 'unknown', path: at, message, code, schema, value: value[unknown] };
      }
    }
    for (const [name, property] of Object.entries(declared)) {
      const problem = this.#property(schema, property, name, value, path, code);
      if (problem !== null) return problem;
    }
    const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null;
    for (const name of names) {
      const problem = schema.propertyNames ? this.visit(schema.propertyNames, name, path, code) : null;
      if (problem !== null) return problem;
      if (others === null || Object.hasOwn(declared, name)) continue;
      const inner = this.visit(others, value[name], [...path, name], code);
      if (inner !== null) return inner;
    }
    return null;
  }

  #property(
    schema: Node,
    property: Node,
    name: string,
    value: JsonObject,
    path: Path,
    code: string | undefined,
  ): Problem | null {
    if (Object.hasOwn(value, name)) return this.visit(property, value[name], [...path, name], code);
    if (!schema.required?.includes(name)) return null;
    const { errorMessage: message, errorCode = code } = property;
    const at = [...path, name];
    return { kind: 'missing', path: at, message, code: errorCode, schema: property, value: undefined };
  }

  #items(schema: Node, value: unknown, path: Path, code: string | undefined): Problem | null {
    if (!schema.items || !Array.isArray(value)) return null;
    for (const [index, item] of value.entries()) {
      const problem = this.visit(schema.items, item, [...path, String(index)], code);
      if (problem !== null) return problem;
    }
    return null;
  }

  #rules(schema: Node, value: unknown, fail: (kind: 'rule', message: string) => Problem): Problem | null {
    const broken = schema['~refine']?.find((rule) => !rule.check(value));
    if (broken === undefined) return null;
    const problem = fail('rule', broken.error(value));
    return schema.ruleField === undefined
      ? problem
      : { ...problem, path: [...problem.path, schema.ruleField] };
  }
}

/** Beside that of the kit: one that sees the shapes of others as well takes 18 ns instead of 13. */
const ownValue = (value: JsonObject, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

/** The caller's name may be `constructor`, and a tag no text at all. */
function messageOfUnknown({ unknownMessages = {} }: Node, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(unknownMessages, name) ? unknownMessages[name] : undefined;
}

/** Violations of the value itself, not of its parts. */
function checkOwn(schema: Node, value: unknown): Problem['kind'] | null {
  if (!fitsType(schema, value)) return 'type';
  if ('const' in schema && schema.const !== value) return 'enum';
  if (schema.enum && !schema.enum.includes(value)) return 'enum';
  if (typeof value === 'string') {
    // JSON Schema counts code points.
    const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length;
    if (length < (schema.minLength ?? 0)) return 'too_short';
    if (length > (schema.maxLength ?? Infinity)) return 'too_long';
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) return 'pattern';
    if (schema.format !== undefined && !Format.Test(schema.format, value)) return 'format';
  }
  if (typeof value === 'number') return checkNumber(schema, value);
  if (Array.isArray(value)) return checkSize(value.length, schema.minItems, schema.maxItems);
  if (isJsonObject(value)) {
    return checkSize(Object.keys(value).length, schema.minProperties, schema.maxProperties);
  }
  return null;
}

function checkNumber(schema: Node, value: number): Problem['kind'] | null {
  if (value < (schema.minimum ?? -Infinity)) return 'too_small';
  if (value > (schema.maximum ?? Infinity)) return 'too_large';
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) return 'too_small';
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum) return 'too_large';
  return null;
}

function checkSize(size: number, min = 0, max = Infinity): Problem['kind'] | null {
  if (size < min) return 'too_short';
  return size > max ? 'too_long' : null;
}

function fitsType(schema: Node, value: unknown): boolean {
  if ('const' in schema && !('properties' in schema)) return schema.const === value;
  switch (schema.type) {
    case undefined:
      return schema.anyOf?.some((member) => fitsType(member, value)) ?? true;
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === schema.type;
  }
}

/** A member with a rule of its own about which values of a discriminator are left to it. */
function isOpen(member: Node, tag: string): boolean {
  const node = member.properties?.[tag];
  return member['~refine'] !== undefined && node?.type === 'string' && !('const' in node);
}

/** The property whose constants discriminate a union; one member may take what no constant fits. */
function discriminatorOf(members: readonly Node[]): string | null {
  const [first, ...others] = members;
  const names = Object.entries(first?.properties ?? {}).filter(([, node]) => 'const' in node);
  const tells = (name: string) => (other: Node) =>
    'const' in (other.properties?.[name] ?? {}) || isOpen(other, name);
  const tag = names.find(([name]) => others.every(tells(name)));
  return tag?.[0] ?? null;
}
