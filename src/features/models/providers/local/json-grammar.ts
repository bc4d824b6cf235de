import { isList, listOf, objectOf } from '../../../../kernel/kit/json-fields.ts';
import { withDigits } from '../../../../kernel/kit/json-digits.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { baseRules, literal, nothing, type Rules } from './gbnf.ts';
import {
  alikeOf,
  annotations,
  areApart,
  at,
  impliedType,
  isNatural,
  isUnenforced,
  mergeable,
  sizeOf,
} from './json-schema.ts';

export interface JsonGrammar {
  readonly root: string;
  readonly rules: Rules;
  /** False where the grammar allows more than the schema does; the answer has to be checked then. */
  readonly exact: boolean;
}

/**
 * Every text of the grammar is JSON, and an instance of the schema if `exact`. What it leaves open: `pattern`, most
 * formats, bounds of numbers, uniqueness, `not`, `if`, several branches at once, lengths over 256. What it closes
 * although the schema does not: properties come in the order of the schema, and undeclared ones only where none are
 * declared. `prefix` keeps the rules of several schemas apart.
 */
export function toJsonGrammar(schema: Json, prefix: string): JsonGrammar {
  try {
    const writer = new Writer(schema, prefix);
    const root = writer.rule('root', writer.any(schema, 0));
    return { root, rules: new Map([...baseRules, ...writer.rules]), exact: writer.exact };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { root: 'value', rules: baseRules, exact: false };
  }
}

export const objectGrammar: JsonGrammar = { root: 'object', rules: baseRules, exact: true };

class TooLarge extends Error {}

/** Schemas come from callers, and native code expands repetitions and keeps every place where an answer may stand. */
const rulesMax = 2_000;
const depthMax = 48;
const branchesMax = 512;
const repetitionsMax = 256;
/** Bytes of all rules. */
const sizeMax = 262_144;
/** Places where an answer may stand at once, in unions whose branches begin alike. */
const placesMax = 1_024;

class Writer {
  readonly rules = new Map<string, string>();
  exact = true;
  readonly #document: Json;
  readonly #prefix: string;
  readonly #references = new Map<string, string>();
  /** Rules by their bodies: branches that are the same must not be two places. */
  readonly #names = new Map<string, string>();
  readonly #open = new Set<string>();
  #size = 0;
  #places = 1;
  #isRecursive = false;

  constructor(document: Json, prefix: string) {
    this.#document = document;
    this.#prefix = prefix;
  }

  /** Names a rule; its body may come later, because schemas refer to themselves. */
  rule(hint: string, body: string): string {
    const known = this.#names.get(body);
    if (known !== undefined) return known;
    const name = this.#name(hint);
    this.rules.set(name, body);
    this.#names.set(body, name);
    this.#size += body.length;
    if (this.#size > sizeMax) throw new TooLarge();
    return name;
  }

  /** Such unions multiply where they stand in each other, and without end where one stands in itself. */
  #checkPlaces(): void {
    if (this.#places > (this.#isRecursive ? 1 : placesMax)) throw new TooLarge();
  }

  any(schema: Json | undefined, depth: number): string {
    if (depth > depthMax) throw new TooLarge();
    if (!isJsonObject(schema)) {
      if (schema === false) this.exact = false;
      return 'value';
    }
    if (isUnenforced(schema)) this.exact = false;
    if (typeof schema.$ref === 'string') return this.#reference(schema, schema.$ref, depth);
    if (Object.hasOwn(schema, 'const')) return this.#json(withDigits(schema)['const']);
    if (isList(schema.enum)) return this.#either(withDigits(schema.enum).map((value) => this.#json(value)));
    const branches = isList(schema.anyOf) ? schema.anyOf : schema.oneOf;
    if (isList(branches)) return this.#branches(schema, branches, depth);
    if (isList(schema.allOf)) return this.any(this.#merged(schema, schema.allOf), depth + 1);
    const { type } = schema;
    if (isList(type))
      return this.#either(type.map((one) => this.#typed({ ...schema, type: one }, one, depth)));
    return this.#typed(schema, type ?? impliedType(schema), depth);
  }

  #typed(schema: JsonObject, type: Json | undefined, depth: number): string {
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'string':
        return this.#string(schema);
      case 'integer':
        return isNatural(schema) ? 'natural' : 'integer';
      case 'number':
      case 'boolean':
      case 'null':
        return type;
      default:
        if (type !== undefined) this.exact = false;
        return 'value';
    }
  }

  #object(schema: JsonObject, depth: number): string {
    const { properties, required, additionalProperties: more } = schema;
    const names = isList(required) ? required.filter((name) => typeof name === 'string') : [];
    const declared = objectOf(properties);
    const missing = names.filter((name) => !Object.hasOwn(declared, name));
    const entries = [
      ...Object.entries(declared),
      ...missing.map((name): [string, Json] => [name, objectOf(more)]),
    ];
    if (entries.length === 0) return this.#map(more, depth);
    let [first, later] = [nothing, nothing];
    // From the last to the first: what may follow, where nothing stands before it and where something does.
    for (const [name, value] of entries.toReversed()) {
      const member = this.rule(
        'member',
        `${literal(JSON.stringify(name))} ":" ws ${this.any(value, depth + 1)}`,
      );
      const [alone, behind] = [`${member} ${later}`, `ws "," ws ${member} ${later}`];
      const needed = names.includes(name);
      [first, later] = [
        this.rule('first', needed ? alone : `${alone} | ${first}`),
        this.rule('later', needed ? behind : `(${behind}) | ${later}`),
      ];
    }
    return this.rule('object', `"{" ws ${first} ws "}"`);
  }

  #map(more: Json | undefined, depth: number): string {
    if (more === false) return this.rule('empty', '"{" ws "}"');
    if (!isJsonObject(more)) return 'object';
    const member = this.rule('member', `string ":" ws ${this.any(more, depth + 1)}`);
    return this.rule('map', `"{" ws (${member} (ws "," ws ${member})* ws)? "}"`);
  }

  #array(schema: JsonObject, depth: number): string {
    const head = isList(schema.prefixItems)
      ? schema.prefixItems.map((item) => this.any(item, depth + 1))
      : [];
    const least = Math.max(0, sizeOf(schema.minItems) ?? 0);
    const most = sizeOf(schema.maxItems) ?? (schema.items === false ? head.length : null);
    if (most === 0) return this.rule('none', '"[" ws "]"');
    const item = schema.items === false ? null : this.any(schema.items, depth + 1);
    if (head.length > 0) return this.#tuple(head, item, least, most);
    if (item === null) return this.rule('none', '"[" ws "]"');
    const rest = this.#times(`(ws "," ws ${item})`, Math.max(0, least - 1), most === null ? null : most - 1);
    const filled = `${item} ${rest} ws`;
    return this.rule('array', `"[" ws ${least > 0 ? filled : `(${filled})?`} "]"`);
  }

  /** All places of the tuple are filled, which every schema of one allows unless it bounds the length below. */
  #tuple(head: readonly string[], item: string | null, least: number, most: number | null): string {
    const shown = head.slice(0, most ?? head.length).join(' ws "," ws ');
    const left = Math.max(0, (most ?? head.length) - head.length);
    const more =
      item === null
        ? nothing
        : this.#times(`(ws "," ws ${item})`, Math.max(0, least - head.length), most === null ? null : left);
    return this.rule('tuple', `"[" ws ${shown} ${more} ws "]"`);
  }

  #string(schema: JsonObject): string {
    const { format } = schema;
    if (format === 'date' || format === 'time' || format === 'uuid')
      return this.rule('text', `"\\"" ${format} "\\""`);
    if (format === 'date-time') return this.rule('text', `"\\"" date "T" time "\\""`);
    if (format !== undefined) this.exact = false;
    const least = Math.max(0, sizeOf(schema.minLength) ?? 0);
    const most = sizeOf(schema.maxLength);
    if (least === 0 && most === null) return 'string';
    return this.rule('text', `"\\"" ${this.#times('char', least, most)} "\\""`);
  }

  #times(what: string, least: number, most: number | null): string {
    if (least > repetitionsMax || (most ?? 0) > repetitionsMax) this.exact = false;
    const from = Math.min(least, repetitionsMax);
    if (most === 0) return nothing;
    if (most === null || most > repetitionsMax) return from === 0 ? `${what}*` : `${what}{${from},}`;
    return `${what}{${from},${Math.max(from, most)}}`;
  }

  #branches(schema: JsonObject, branches: readonly Json[], depth: number): string {
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    this.#places *= alikeOf(branches.map((branch) => this.#resolved(branch)));
    this.#checkPlaces();
    const shared = Object.keys(rest).some((key) => !annotations.has(key));
    if (Object.hasOwn(schema, 'oneOf')) this.exact = this.exact && areApart(branches);
    return this.#either(
      branches.map((branch) =>
        this.any(shared && isJsonObject(branch) ? this.#merged(rest, [branch]) : branch, depth + 1),
      ),
    );
  }

  #either(alternatives: readonly string[]): string {
    if (alternatives.length > branchesMax) throw new TooLarge();
    const [only, ...more] = new Set(alternatives);
    if (only === undefined) this.exact = false;
    return more.length === 0 ? (only ?? 'value') : this.rule('either', [only, ...more].join(' | '));
  }

  #json(value: Json | undefined): string {
    return this.rule('json', literal(JSON.stringify(value ?? null)));
  }

  #reference(schema: JsonObject, reference: string, depth: number): string {
    if (Object.keys(schema).some((key) => key !== '$ref' && !annotations.has(key))) this.exact = false;
    const known = this.#references.get(reference);
    if (known !== undefined) {
      this.#isRecursive ||= this.#open.has(reference);
      this.#checkPlaces();
      return known;
    }
    const target = at(this.#document, reference);
    if (target === undefined) {
      this.exact = false;
      return 'value';
    }
    const name = this.#name('def');
    this.#references.set(reference, name);
    this.#open.add(reference);
    this.rules.set(name, this.any(target, depth + 1));
    this.#open.delete(reference);
    return name;
  }

  #resolved(branch: Json): Json {
    const target =
      isJsonObject(branch) && typeof branch.$ref === 'string' ? at(this.#document, branch.$ref) : branch;
    return target ?? branch;
  }

  /** Properties side by side; of anything else said twice the last counts. */
  #merged(schema: JsonObject, parts: readonly Json[]): JsonObject {
    const { allOf: _, ...base } = schema;
    let merged: JsonObject = base;
    for (const part of parts) {
      const target = this.#resolved(part);
      if (!isJsonObject(target)) {
        this.exact = false;
        continue;
      }
      const clash = Object.keys(target).some(
        (key) => !mergeable.has(key) && Object.hasOwn(merged, key) && !annotations.has(key),
      );
      if (clash || Object.hasOwn(target, '$ref')) this.exact = false;
      const required = [...(listOf(merged.required) ?? []), ...(listOf(target.required) ?? [])];
      const isObject = [merged, target].some(
        (one) => one.properties !== undefined || one.required !== undefined,
      );
      const properties = { ...objectOf(merged.properties), ...objectOf(target.properties) };
      merged = { ...merged, ...target, ...(isObject ? { properties, required } : {}) };
    }
    return merged;
  }

  #name(hint: string): string {
    if (this.rules.size >= rulesMax) throw new TooLarge();
    const name = `${this.#prefix}-${this.rules.size}-${hint}`;
    this.rules.set(name, '');
    return name;
  }
}
