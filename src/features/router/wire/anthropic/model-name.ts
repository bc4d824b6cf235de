import { Fault } from '../../../../kernel/faults.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { CatalogEntry, Models } from '../../../models/feature.ts';

export interface NamedModel {
  /** Under which it is asked. */
  readonly name: string;
  readonly entry: CatalogEntry;
}

/**
 * What a name stands for: a model or an alias of the operator's, else the first model that its provider calls so, else
 * the default of this surface.
 */
export function findModel(sent: string, models: Models, defaultModel: string | null): NamedModel | null {
  const known = models.find(sent);
  if (known?.router === true) return { name: sent, entry: known };
  const bare = models.list().find(({ id, router }) => router && id.slice(id.indexOf('/') + 1) === sent);
  if (bare !== undefined) return { name: bare.id, entry: bare };
  const entry = defaultModel === null ? null : models.find(defaultModel);
  return defaultModel !== null && entry?.router === true ? { name: defaultModel, entry } : null;
}

/** Throws Fault `not_found`, which says what to set. */
export function needModel(sent: string, models: Models, defaultModel: string | null): NamedModel {
  const found = findModel(sent, models, defaultModel);
  if (found !== null) return found;
  const name = quote(sent);
  throw new Fault(
    'not_found',
    `model: ${name} is not known here. Name a model of /anthropic/v1/models, or set aliases.models to say what ${name} stands for, or anthropic.default_model for every name that is not known`,
  );
}
