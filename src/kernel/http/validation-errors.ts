import { Fault, faultTable, type FaultCode } from '../faults.ts';
import { dialects, type Surface } from './error-dialects.ts';
import { quote } from '../kit/text.ts';
import type { Problem } from './validate.ts';

/** First element of `loc`. */
export type Place = 'body' | 'query' | 'path';

export function problemToFault(surface: Surface, problem: Problem | null, place: Place = 'body'): Fault {
  // A defect of Nestor where nothing explains the refusal, but still a bad request.
  if (problem === null) return new Fault('invalid_value', 'Invalid request body');
  const { path } = problem;
  // A code from the schema wins: an unknown model is 400 among 422s.
  if (dialects[surface].shape === 'V' && !isFaultCode(problem.code)) {
    const { msg, type } = wordsOf(problem);
    const detail = { loc: [place, ...path], msg: problem.message ?? msg, type };
    // A rule between fields has no single field.
    const param = path.length === 0 ? null : path.join('.');
    const message = param === null ? detail.msg : `${param}: ${detail.msg}`;
    return new Fault('validation_failed', message, { param, details: [detail] });
  }
  return new Fault(codeOf(problem), ownMessage(problem) ?? nativeMessage(surface, problem), {
    param: path.join('.'),
  });
}

/** Surfaces that validate with 422 report unparsable and too deep bodies with it as well. */
export function unparsableToFault(surface: Surface, error: unknown): unknown {
  const unparsable =
    error instanceof Fault && (error.code === 'invalid_json' || error.code === 'invalid_body');
  if (dialects[surface].shape !== 'V' || !(error instanceof Fault)) return error;
  if (!unparsable && error.details.length === 0) return error;
  const details = unparsable ? [{ loc: ['body'], msg: error.message, type: 'json_invalid' }] : error.details;
  const { message, param } = error;
  return new Fault('validation_failed', param === null ? message : `${param}: ${message}`, {
    param,
    details,
  });
}

function codeOf({ kind, code }: Problem): FaultCode {
  if (isFaultCode(code)) return code;
  if (kind === 'missing') return 'missing_field';
  return kind === 'unknown' ? 'unknown_field' : 'invalid_value';
}

function isFaultCode(code: string | undefined): code is FaultCode {
  return code !== undefined && Object.hasOwn(faultTable, code);
}

function ownMessage({ message, value }: Problem): string | undefined {
  return message?.replace('{value}', () =>
    quote(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
  );
}

function nativeMessage(surface: Surface, problem: Problem): string {
  const name = quote(nameOf(problem.path));
  if (problem.kind === 'missing') return `Missing required field "${name}"`;
  if (problem.kind !== 'unknown') return `${name} ${wordsOf(problem).native}`;
  const dialect = dialects[surface];
  return `${'unknownField' in dialect ? dialect.unknownField : 'Unknown field'} "${name}"`;
}

/** A place in a list has no name of its own. */
function nameOf(path: Problem['path']): string {
  const last = path.at(-1) ?? 'body';
  return /^\d+$/.test(last) ? path.join('.') : last;
}

interface Words {
  /** Follows the name of the field. */
  readonly native: string;
  /** `type` of a 422's detail. */
  readonly type: string;
  /** `msg` of a 422's detail. */
  readonly msg: string;
}

const invalid = 'is not valid';
const isUuid = ({ kind, schema }: Problem) =>
  (kind === 'pattern' || kind === 'format') && schema.format === 'uuid';

function wordsOf(problem: Problem): Words {
  const { kind, schema, value } = problem;
  if (isUuid(problem)) return { native: invalid, type: 'uuid_parsing', msg: 'Input should be a valid UUID' };
  const isText = typeof value === 'string';
  const unit = isText ? 'characters' : 'items';
  const { minLength, minItems, minProperties, maxLength, maxItems, maxProperties } = schema;
  switch (kind) {
    case 'missing':
      return { native: '', type: 'missing', msg: 'Field required' };
    case 'unknown':
      return { native: '', type: 'value_error', msg: 'Extra inputs are not permitted' };
    case 'type': {
      const types = typesOf(schema);
      // Clients of these surfaces are told the type of a nullable field other than null.
      const words = types.flatMap((name) => (name === 'null' ? [] : [typeWords[name] ?? anyValue]));
      const [[only] = anyValue, ...others] = words;
      return {
        native: `must be ${article(types.join(' or '))}`,
        type: others.length === 0 ? only : 'value_error',
        msg: `Input should be a valid ${words.map(([, word]) => word).join(' or ')}`,
      };
    }
    case 'enum':
    case 'discriminator': {
      const values = `one of the permitted values${valuesOf(problem)}`;
      return { native: `is not ${values}`, type: 'enum', msg: `Input should be ${values}` };
    }
    case 'too_small': {
      const minimum = schema.minimum ?? schema.exclusiveMinimum;
      const msg = `Input should be greater than or equal to ${minimum}`;
      return { native: `is below the permitted minimum of ${minimum}`, type: 'greater_than_equal', msg };
    }
    case 'too_large': {
      const maximum = schema.maximum ?? schema.exclusiveMaximum;
      const msg = `Input should be less than or equal to ${maximum}`;
      return { native: `is above the permitted maximum of ${maximum}`, type: 'less_than_equal', msg };
    }
    case 'too_short': {
      const least = `at least ${minLength ?? minItems ?? minProperties} ${unit}`;
      const msg = `Input should have ${least}`;
      return { native: `must have ${least}`, type: isText ? 'string_too_short' : 'too_short', msg };
    }
    case 'too_long': {
      const most = `at most ${maxLength ?? maxItems ?? maxProperties} ${unit}`;
      const msg = `Input should have ${most}`;
      return { native: `must have ${most}`, type: isText ? 'string_too_long' : 'too_long', msg };
    }
    case 'pattern': {
      const msg = `String should match pattern '${schema.pattern}'`;
      return { native: invalid, type: 'string_pattern_mismatch', msg };
    }
    case 'format':
      return { native: invalid, type: 'value_error', msg: `Input should be a valid ${schema.format}` };
    case 'rule':
      return { native: invalid, type: 'value_error', msg: 'Value error' };
  }
}

/** Told where they are words, and few. Those of a tag stand in the members of its union. */
function valuesOf({ kind, path, schema }: Problem): string {
  const tag = kind === 'discriminator' ? (path.at(-1) ?? '') : null;
  const members = (schema.anyOf ?? []).map((one) => (tag === null ? one : (one.properties?.[tag] ?? {})));
  const values = schema.enum ?? members.flatMap((one) => one.enum ?? ('const' in one ? [one.const] : []));
  const isTold =
    values.length > 0 && values.length <= valuesToldMax && values.every((one) => typeof one === 'string');
  return isTold ? `: ${values.join(', ')}` : '';
}

const valuesToldMax = 16;

/** Of all members of a union, also of unions in it. */
function typesOf({ type, anyOf, enum: values = [] }: Problem['schema']): readonly string[] {
  if (anyOf) return [...new Set(anyOf.flatMap(typesOf))];
  const [one] = values;
  return [type ?? (one === undefined ? 'value' : typeof one)];
}

function article(words: string): string {
  return /^[aeiou]/.test(words) ? `an ${words}` : `a ${words}`;
}

const anyValue = ['value_error', 'value'] as const;

const typeWords: Readonly<Record<string, readonly [type: string, word: string]>> = {
  string: ['string_type', 'string'],
  integer: ['int_type', 'integer'],
  number: ['value_error', 'number'],
  boolean: ['bool_type', 'boolean'],
  array: ['list_type', 'list'],
  object: ['dict_type', 'dictionary'],
};
