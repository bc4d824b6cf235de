import { Type } from 'typebox';
import { quote } from '../kit/text.ts';

/** Says of the value of `model` that it is no name of one. */
export function refusedModel(model: unknown, permitted: string): string {
  const named = typeof model === 'string' ? model : JSON.stringify(model);
  return `Invalid model '${quote(named)}'. Permitted models: ${permitted}`;
}

/** The field `model` of a path where only these are served. */
export function ModelName(accepted: ReadonlyMap<string, unknown>, refuse: (model: unknown) => string) {
  const name = Type.Unsafe<string>({
    description: `One of: ${[...accepted.keys()].join(', ')}`,
    errorCode: 'invalid_model',
    errorMessage: 'Missing required field "model"',
  });
  return Type.Refine(name, (model) => typeof model === 'string' && accepted.has(model), refuse);
}

/** Adds the names that the operator gave to models of this map. */
export function addAliases<Model>(
  named: Map<string, Model>,
  aliases: Readonly<Record<string, string>>,
): void {
  for (const [alias, canonical] of Object.entries(aliases)) {
    const model = named.get(canonical);
    if (model !== undefined) named.set(alias, model);
  }
}

/** The model of a name that the schema let through. */
export function servedModel<Model>(named: ReadonlyMap<string, Model>, name: string): Model {
  const model = named.get(name);
  if (model === undefined) throw new Error('a model that the schema let through is unknown');
  return model;
}
