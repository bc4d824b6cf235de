import { isRecord } from './failure.ts';

const toModel = ['post', 'requestBody', 'content', 'application/json', 'schema', 'properties', 'model'];

/**
 * The names that `model` of an operation may have, best known first, out of the document that the server publishes of
 * itself: which family they are called by is a matter of its configuration. None where it does not tell.
 */
export function permittedModels(openapi: unknown, path: string): readonly string[] {
  const model = ['paths', path, ...toModel].reduce<unknown>(
    (inner, name) => (isRecord(inner) ? inner[name] : undefined),
    openapi,
  );
  if (!isRecord(model)) return [];
  if (Array.isArray(model['enum'])) return model['enum'].filter((name) => typeof name === 'string');
  const told =
    typeof model['description'] === 'string' ? /One of: ([^\n]+)/.exec(model['description'])?.[1] : undefined;
  return (
    told
      ?.split(', ')
      .map((name) => name.trim())
      .filter((name) => name !== '') ?? []
  );
}
