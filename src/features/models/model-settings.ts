import type { Config } from '../../kernel/config.ts';
import type { ModelNote } from './catalog.ts';
import type { ModelPrice } from './model.ts';
import type { ProviderSettings } from './providers/index.ts';
import type { Target } from './target.ts';

/** Converts a provider of the configuration to the settings that it is opened with. */
export function toProviderSettings(provider: Config['providers'][number]): ProviderSettings {
  const models = provider.models === '*' ? '*' : provider.models.map(({ id }) => id);
  if (provider.type === 'local') {
    const [first] = provider.models === '*' ? [] : provider.models;
    return { ...provider, models, contextTokensMax: first?.context ?? null };
  }
  const { timeoutS, totalTimeoutS, ...rest } = provider;
  return { ...rest, models, timeoutMs: timeoutS * 1_000, totalTimeoutMs: totalTimeoutS * 1_000 };
}

/** Own names and what they run on. */
export function toOwnNames({ models }: Config): Readonly<Record<string, readonly Target[]>> {
  return Object.fromEntries(
    Object.entries(models).map(([name, targets]) => [
      name,
      targets.map((target) => (typeof target === 'string' ? { model: target, weight: null } : target)),
    ]),
  );
}

/** Settings of single models, by `provider/model`. */
export function toNotes({ providers }: Config): ReadonlyMap<string, ModelNote> {
  const notes = providers.flatMap(({ name, models }) =>
    models === '*'
      ? []
      : models.map(({ id, context, price, router }): readonly [string, ModelNote] => [
          `${name}/${id}`,
          { price: price === null ? null : toPrice(price), contextTokensMax: context, router },
        ]),
  );
  return new Map(notes);
}

type Configured = { readonly [Part in keyof ModelPrice]: ModelPrice[Part] | null } & Pick<
  ModelPrice,
  'input' | 'output'
>;

function toPrice({ input, output, cacheRead, cacheWrite }: Configured): ModelPrice {
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}
