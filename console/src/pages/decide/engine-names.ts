import { isRecord } from '../../api/failure.ts';

/** Asked for until somebody chooses another. */
export const defaultEngine = 'svc-decider-v1-27b';

/** The permitted values of `model` in `POST /v1/decisions`, out of `/openapi.json`. At least one. */
export function toEngineNames(openapi: unknown): readonly string[] {
  const model = at(openapi, [
    'paths',
    '/v1/decisions',
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
    'properties',
    'model',
  ]);
  const names = isRecord(model) ? (listed(model['enum']) ?? described(model['description'])) : null;
  return names === null || names.length === 0 ? [defaultEngine] : names;
}

function listed(names: unknown): readonly string[] | null {
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : null;
}

function described(description: unknown): readonly string[] | null {
  const found = typeof description === 'string' ? /One of: ([^\n]+)/.exec(description)?.[1] : undefined;
  return found?.split(', ').filter((name) => name !== '') ?? null;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}
