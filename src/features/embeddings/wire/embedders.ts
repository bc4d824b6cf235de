import type { EmbeddingSize } from '../embedding.ts';
import { addAliases, ModelName, refusedModel } from '../../../kernel/http/model-name.ts';
import type { Settings } from '../../../kernel/feature.ts';

export type EmbeddingKind = 'standard' | 'contextualized';

/** A model of the interface, and what its name stands for. */
export interface Embedder {
  readonly name: string;
  readonly kind: EmbeddingKind;
  readonly size: EmbeddingSize;
  /** Unit: USD per million tokens. */
  readonly priceUsdPerMillion: number;
}

/** The four models, by their names after the family's. */
const table = {
  'embed-v1-0.6b': { kind: 'standard', size: 1024, priceUsdPerMillion: 0.004 },
  'embed-v1-4b': { kind: 'standard', size: 2560, priceUsdPerMillion: 0.03 },
  'embed-context-v1-0.6b': { kind: 'contextualized', size: 1024, priceUsdPerMillion: 0.008 },
  'embed-context-v1-4b': { kind: 'contextualized', size: 2560, priceUsdPerMillion: 0.05 },
} as const satisfies Record<string, Omit<Embedder, 'name'>>;

/** Prefix of the same names at the upstream service. */
const upstreamFamily = 'pplx';

/** Every name that is accepted on a path of this kind, with the model that it stands for. */
export function embeddersOf(settings: Settings, kind: EmbeddingKind): ReadonlyMap<string, Embedder> {
  const { family, aliases, priceOf } = settings;
  const named = new Map<string, Embedder>();
  for (const [rest, facts] of Object.entries(table)) {
    if (facts.kind !== kind) continue;
    const name = `${family}-${rest}`;
    const embedder = {
      ...facts,
      name,
      priceUsdPerMillion: priceOf(name, 'input') ?? facts.priceUsdPerMillion,
    };
    named.set(name, embedder);
    if (aliases.upstream) named.set(`${upstreamFamily}-${rest}`, embedder);
  }
  addAliases(named, aliases.models);
  return named;
}

/** The name of a model of this kind; an unknown one is a 400 among 422s. */
export function EmbedderName(settings: Settings, kind: EmbeddingKind) {
  const accepted = embeddersOf(settings, kind);
  const permitted = [...new Set([...accepted.values()].map(({ name }) => name))].join(', ');
  return ModelName(accepted, (model) => refusedModel(model, permitted));
}
