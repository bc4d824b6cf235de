import { permittedModels } from '../../api/permitted-models.ts';

/** Asked for until somebody chooses another. */
export const defaultEngine = 'svc-decider-v1-27b';

/** The permitted values of `model` in `POST /v1/decisions`, out of `/openapi.json`. At least one. */
export function toEngineNames(openapi: unknown): readonly string[] {
  const names = permittedModels(openapi, '/v1/decisions');
  return names.length === 0 ? [defaultEngine] : names;
}
