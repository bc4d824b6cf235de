import { Fault, faultTable, type FaultCode } from '../faults.ts';
import { dialects, type Surface } from './error-dialects.ts';
import { quote } from '../kit/text.ts';
import type { Problem } from './validate.ts';

/** First element of `loc`. */
export type Place = 'body' | 'query' | 'path';

/** Words a problem for a surface. */
export function problemToFault(surface: Surface, problem: Problem | null, place: Place = 'body'): Fault {
  // A defect of Nestor where nothing explains the refusal, but still a bad request.
  if (problem === null) return new Fault('invalid_value', 'Invalid request body');
  const { path } = problem;
  // A code from the schema wins: an unknown model is 400 among 422s.
  if (dialects[surface].shape === 'V' && !isFaultCode(problem.code)) {
    const detail = { loc: [place, ...path], msg: detailMessage(problem), type: detailType(problem) };
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
  return new Fault('validation_failed', error.message, { details });
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

function nativeMessage(surface: Surface, { kind, path, schema }: Problem): string {
  const name = quote(path.at(-1) ?? 'body');
  switch (kind) {
    case 'missing':
      return `Missing required field "${name}"`;
    case 'unknown':
      return `${unknownField(surface)} "${name}"`;
    case 'type':
      return `${name} must be ${article(typeNames(schema))}`;
    case 'enum':
    case 'discriminator':
      return `${name} is not one of the permitted values`;
    case 'too_short':
    case 'too_small':
      return `${name} is below the permitted minimum`;
    case 'too_long':
    case 'too_large':
      return `${name} is above the permitted maximum`;
    case 'pattern':
    case 'format':
    case 'rule':
      return `${name} is not valid`;
  }
}

function unknownField(surface: Surface): string {
  const dialect = dialects[surface];
  return 'unknownField' in dialect ? dialect.unknownField : 'Unknown field';
}

function typeNames(schema: Problem['schema']): string {
  const members = schema.anyOf?.map((member) => member.type ?? 'value') ?? [schema.type ?? 'value'];
  return [...new Set(members)].join(' or ');
}

function article(words: string): string {
  return /^[aeiou]/.test(words) ? `an ${words}` : `a ${words}`;
}

const isUuid = ({ kind, schema }: Problem) =>
  (kind === 'pattern' || kind === 'format') && schema.format === 'uuid';

function detailType(problem: Problem): string {
  const { kind, schema, value } = problem;
  if (isUuid(problem)) return 'uuid_parsing';
  switch (kind) {
    case 'missing':
      return 'missing';
    case 'type':
      return typeTypes[mainType(schema)] ?? 'value_error';
    case 'enum':
    case 'discriminator':
      return 'enum';
    case 'too_small':
      return 'greater_than_equal';
    case 'too_large':
      return 'less_than_equal';
    case 'too_short':
      return typeof value === 'string' ? 'string_too_short' : 'too_short';
    case 'too_long':
      return typeof value === 'string' ? 'string_too_long' : 'too_long';
    case 'pattern':
      return 'string_pattern_mismatch';
    case 'format':
    case 'unknown':
    case 'rule':
      return 'value_error';
  }
}

/** The type of a nullable field other than null. */
function mainType({ type, anyOf = [] }: Problem['schema']): string {
  const types = new Set(anyOf.map((member) => member.type ?? ''));
  types.delete('null');
  return type ?? (types.size === 1 ? ([...types][0] ?? '') : '');
}

const typeTypes: Readonly<Record<string, string>> = {
  string: 'string_type',
  integer: 'int_type',
  boolean: 'bool_type',
  array: 'list_type',
  object: 'dict_type',
};

const typeWords: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'dictionary',
};

function detailMessage(problem: Problem): string {
  const { kind, schema, value, message } = problem;
  if (message !== undefined) return message;
  if (isUuid(problem)) return 'Input should be a valid UUID';
  const unit = typeof value === 'string' ? 'character' : 'item';
  switch (kind) {
    case 'missing':
      return 'Field required';
    case 'type':
      return `Input should be a valid ${typeWords[mainType(schema)] ?? 'value'}`;
    case 'enum':
    case 'discriminator':
      return 'Input should be one of the permitted values';
    case 'too_small':
      return `Input should be greater than or equal to ${schema.minimum ?? schema.exclusiveMinimum}`;
    case 'too_large':
      return `Input should be less than or equal to ${schema.maximum ?? schema.exclusiveMaximum}`;
    case 'too_short':
      return `Input should have at least ${schema.minLength ?? schema.minItems ?? schema.minProperties} ${unit}s`;
    case 'too_long':
      return `Input should have at most ${schema.maxLength ?? schema.maxItems ?? schema.maxProperties} ${unit}s`;
    case 'pattern':
      return `String should match pattern '${schema.pattern}'`;
    case 'format':
      return `Input should be a valid ${schema.format}`;
    case 'unknown':
      return 'Extra inputs are not permitted';
    case 'rule':
      return 'Value error';
  }
}
