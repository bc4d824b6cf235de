import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Script, createContext } from 'node:vm';
import { Fault } from '../../kernel/faults.ts';
import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { quote } from '../../kernel/kit/text.ts';
import { compileSchemaPattern, programSizeOf } from './structured-pattern.ts';
import type { LocalCheck } from './structured.ts';

/** Bounds of a schema that a caller sends: compiling it stops everything else in its thread. */
const schemaCharsMax = 262_144;
const schemaNodesMax = 5_000;
const patternsSizeMax = 20_000;
const compileTimeoutMs = 500;
const checkTimeoutMs = 250;
const errorsMax = 5;
const problemCharsMax = 600;

type Draft = 'draft-07' | '2019-09' | '2020-12';
const constructors = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const;

const common: Options = {
  strict: false,
  logger: false,
  allErrors: true,
  formats: fullFormats,
  // Inlining copies what is referred to as often as it is referred to.
  inlineRefs: false,
  code: { regExp: Object.assign((pattern: string) => compileSchemaPattern(pattern), { code: 'RE2' }) },
};

/** Throws Fault `invalid_value` that says what is wrong with the schema. `param` names it in the request. */
type ParseSchema = (schema: JsonObject, param: string) => LocalCheck;

/**
 * Makes checks of JSON Schemas: drafts 6 and 7, 2019-09 and 2020-12 by `$schema`, the last one without. Only `$ref`s
 * into the schema itself resolve: nothing is fetched. The validators of the drafts are made once, because making one
 * takes 10 ms; each schema has an instance of its own (0.5 ms), because an instance keeps what it compiled for ever.
 */
export function createSchemaParser(): ParseSchema {
  const run = createBoundedRun();
  const drafts = new Map<Draft, InstanceType<typeof Ajv>>();
  const draftOf = (draft: Draft) => {
    const known = drafts.get(draft) ?? new constructors[draft](common);
    drafts.set(draft, known);
    return known;
  };
  return (schema, param) => {
    const fail = (reason: string): never => {
      const message = `${param} is not a valid JSON Schema: ${quote(reason, problemCharsMax)}`;
      throw new Fault('invalid_value', message, { param });
    };
    const draft = toDraft(schema['$schema']) ?? fail('this draft is not supported');
    const reason = findExcess(schema);
    if (reason !== null) fail(reason);
    const meta = draftOf(draft);
    const { $schema: _draft, ...plain } = schema;
    if (meta.validateSchema(plain) !== true) fail(toProblem(meta.errors, 'schema'));
    const compiled = compileBounded(draft, plain, run);
    if (typeof compiled === 'string') return fail(compiled);
    return toCheck(schema, (value) => {
      try {
        if (run(checkTimeoutMs, () => compiled(value))) return null;
      } catch {
        return 'the answer takes too long to check';
      }
      return toProblem(compiled.errors, 'answer');
    });
  };
}

/** The validator, or why there is none. */
function compileBounded(draft: Draft, schema: JsonObject, run: RunBounded): ValidateFunction | string {
  try {
    return run(compileTimeoutMs, () => {
      const options = { ...common, meta: false, validateSchema: false };
      const validate = new constructors[draft](options).compile(schema);
      // A schema that refers to itself without end is found out here rather than with an answer.
      for (const value of [null, '', {}, []]) validate(value);
      return validate;
    });
  } catch (error) {
    if (error instanceof BoundsError) return 'it takes too long to compile';
    if (error instanceof RangeError) return 'it refers to itself without end';
    return error instanceof Error ? error.message : 'it does not compile';
  }
}

function toDraft(schema: Json | undefined): Draft | null {
  if (schema === undefined) return '2020-12';
  if (typeof schema !== 'string') return null;
  const name = /^https?:\/\/json-schema\.org\/(draft-0[67]|draft\/2019-09|draft\/2020-12)\/schema#?$/.exec(
    schema,
  )?.[1];
  if (name === undefined) return null;
  return name.startsWith('draft-') ? 'draft-07' : name.endsWith('2019-09') ? '2019-09' : '2020-12';
}

/** Why a schema is too much to compile; null if it is not. */
function findExcess(schema: JsonObject): string | null {
  if (JSON.stringify(schema).length > schemaCharsMax) return `it is longer than ${schemaCharsMax} characters`;
  let nodes = 0;
  let patterns = 0;
  const open: Json[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (++nodes > schemaNodesMax) return `it has more than ${schemaNodesMax} parts`;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      open.push(...(value as readonly Json[]));
      continue;
    }
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'pattern' && typeof inner === 'string') patterns += programSizeOf(inner);
      if (name === 'patternProperties' && typeof inner === 'object' && inner !== null)
        patterns += Object.keys(inner).reduce((sum, pattern) => sum + programSizeOf(pattern), 0);
      if (inner !== undefined) open.push(inner);
    }
  }
  return patterns > patternsSizeMax ? 'its patterns repeat too much' : null;
}

function toCheck(schema: JsonObject, findProblem: (value: unknown) => string | null): LocalCheck {
  return {
    instruction: `Answer with only one JSON value that is valid against this JSON Schema, without any other text and without code fences: ${JSON.stringify(schema)}`,
    check(text) {
      const inner = stripFences(text);
      let value: unknown;
      try {
        value = JSON.parse(inner);
      } catch {
        return { ok: false, problem: 'the answer is not one JSON value' };
      }
      const problem = findProblem(value);
      return problem === null ? { ok: true, text: inner } : { ok: false, problem };
    },
  };
}

/** The inside of a fence that is all of the answer; models put one around JSON against instructions. */
export function stripFences(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```') || trimmed.length < 6) return trimmed;
  const inside = trimmed.slice(3, -3);
  return inside.replace(/^[A-Za-z0-9_-]*[ \t]*\r?\n/, '').trim();
}

function toProblem(errors: readonly ErrorObject[] | null | undefined, what: string): string {
  const problems = (errors ?? []).slice(0, errorsMax).map(({ instancePath, message }) => {
    return `${what}${instancePath.replaceAll('/', '.')} ${message ?? 'is not valid'}`;
  });
  return quote(problems.join('; ') || `${what} is not valid`, problemCharsMax);
}

/** Runs work that must not hold up this process for longer than this. Unit: ms. */
type RunBounded = <Value>(timeoutMs: number, work: () => Value) => Value;

/**
 * A schema that a caller wrote may take exponential time to compile or to check, and nothing in JavaScript stops a
 * function that runs; the watchdog of `vm` does, wherever the function came from. It isolates nothing and needs not to:
 * the work is ours. Costs 0.1 ms for each run. Throws what the work throws, and a
 * BoundsError when the time is over.
 */
function createBoundedRun(): RunBounded {
  const box: { work: (() => void) | null } = { work: null };
  const context = createContext(box);
  const script = new Script('work()');
  return (timeoutMs, work) => {
    const outcome: { value?: ReturnType<typeof work> } = {};
    const before = box.work;
    box.work = () => void (outcome.value = work());
    try {
      script.runInContext(context, { timeout: timeoutMs });
    } catch (error) {
      if (isTimeout(error)) throw new BoundsError(`not done in ${timeoutMs} ms`);
      throw error;
    } finally {
      box.work = before;
    }
    return outcome.value as ReturnType<typeof work>;
  };
}

class BoundsError extends Error {
  override readonly name = 'BoundsError';
}

function isTimeout(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
