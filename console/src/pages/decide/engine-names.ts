import { permittedModels } from '../../api/permitted-models.ts';

/** Asked for until somebody chooses another. */
export const defaultEngine = 'svc-decider-v1-27b';

/**
 * Names under which requests of this account are decided, at least one: the permitted values of `model` in `POST
 * /v1/decisions`, out of `/openapi.json`, and the deciders that it does not list because they belong to the account.
 */
export function toEngineNames(
  openapi: unknown,
  deciders: readonly { readonly name: string }[],
): readonly string[] {
  const published = permittedModels(openapi, '/v1/decisions');
  const names = published.length === 0 ? [defaultEngine] : published;
  return [...new Set([...names, ...deciders.map(({ name }) => name)])];
}
