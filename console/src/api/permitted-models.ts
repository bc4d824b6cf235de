import { isRecord } from './failure.ts';

const toModel = ['post', 'requestBody', 'content', 'application/json', 'schema', 'properties', 'model'];

/**
 * The permitted values of `model` in an operation, best known first, from the published description: the family name
 * depends on the configuration. Empty if the description lists none.
 */
export function permittedModels(openapi: unknown, path: string): readonly string[] {
  const model = ['paths', path, ...toModel].reduce<unknown>(
    (inner, name) => (isRecord(inner) ? inner[name] : undefined),
    openapi,
  );
  if (!isRecord(model)) return [];
  if (Array.isArray(model['enum'])) return model['enum'].filter((name) => typeof name === 'string');
  const listed =
    typeof model['description'] === 'string' ? /One of: ([^\n]+)/.exec(model['description'])?.[1] : undefined;
  return (
    listed
      ?.split(', ')
      .map((name) => name.trim())
      .filter((name) => name !== '') ?? []
  );
}
