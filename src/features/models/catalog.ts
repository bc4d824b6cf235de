import { ownValue } from '../../kernel/kit/json.ts';
import { isForChat, isUnlisted, ownPriceOf, upstreamNames, upstreamPrefix } from './catalog-data.ts';
import type { Config } from '../../kernel/config.ts';
import type { Capabilities, ModelPrice, OfferedModel, Provider } from './model.ts';
import { freePrice, overridePrice } from './pricing.ts';
import type { CatalogEntry, Backend, ProviderEntry, Rank } from './registry.ts';

export type CatalogSettings = Pick<Config, 'family' | 'aliases' | 'models' | 'prices' | 'providers'>;

/** Settings of the operator for one model of a provider, which win over those of the provider. */
type ModelSettings = Exclude<Config['providers'][number]['models'], '*'>[number];

export type Catalog = ReturnType<typeof createCatalog>;

/** Capabilities that an own name is assumed to have while its backends are unknown. */
const unknown: Capabilities = {
  tools: true,
  jsonSchema: false,
  images: true,
  documents: true,
  reasoning: false,
  prefill: false,
  generates: true,
};

interface Snapshot {
  readonly made: readonly (readonly OfferedModel[])[];
  readonly entries: ReadonlyMap<string, CatalogEntry>;
  readonly ranks: ReadonlyMap<string, readonly Rank[]>;
  readonly listed: readonly CatalogEntry[];
}

/**
 * Names of models and what stands behind them. Rebuilt when a provider's list changes, and only read otherwise.
 * `fallback` stands behind `auto` while no provider is configured; null where one is: a quiet change would not be noticed.
 */
export function createCatalog(settings: CatalogSettings, fallback: ProviderEntry | null) {
  const places: { readonly entry: ProviderEntry; readonly place: number }[] = [];
  const last = fallback === null ? [] : [fallback];
  const configured = new Map(
    settings.providers.flatMap(({ name, models }) =>
      models === '*' ? [] : models.map((model) => [`${name}/${model.id}`, model] as const),
    ),
  );
  let order: readonly ProviderEntry[] = last;
  let snapshot: Snapshot | null = null;
  const current = (): Snapshot => {
    const made = snapshot?.made;
    if (snapshot === null || !order.every(({ provider }, at) => isSame(provider.models(), made?.[at])))
      snapshot = toSnapshot(settings, configured, order, fallback);
    return snapshot;
  };
  return {
    list: () => current().listed,
    find(name: string): CatalogEntry | null {
      const { entries } = current();
      const id = resolve(name, settings, entries);
      return id === null ? null : (entries.get(id) ?? null);
    },
    /** Backends of an entry, place by place. Empty while none of them is offered. */
    ranksOf: (id: string) => current().ranks.get(id) ?? [],
    /** Takes a provider in at its place; the order decides what `auto` is. */
    add(entry: ProviderEntry, place: number): void {
      places.push({ entry, place });
      places.sort((a, b) => a.place - b.place);
      // The fallback stays last, so that whatever was found comes before it.
      order = [...places.map(({ entry }) => entry), ...last];
      snapshot = null;
    },
    entries: () => order,
  };
}

function isSame(a: readonly OfferedModel[], b: readonly OfferedModel[] | undefined): boolean {
  return a === b || (a.length === b?.length && a.every((offered, at) => offered === b[at]));
}

const aliasStepsMax = 4;

/** Contract 1.2: an operator's aliases, then the built-in ones. A configured provider may be called like these. */
function resolve(
  name: string,
  { family, aliases, models: own }: CatalogSettings,
  entries: ReadonlyMap<string, CatalogEntry>,
): string | null {
  let id = name;
  for (let step = 0; step < aliasStepsMax && Object.hasOwn(aliases.models, id); step++)
    id = aliases.models[id] ?? id;
  if (entries.has(id)) return id;
  if (!aliases.upstream || !id.startsWith(upstreamPrefix)) return null;
  const model = id.slice(upstreamPrefix.length);
  const upstream = ownValue(upstreamNames, model);
  if (upstream !== undefined) return `${family}/${family}${upstream}`;
  return Object.hasOwn(own, model) ? `${family}/${model}` : null;
}

function toSnapshot(
  settings: CatalogSettings,
  configured: ReadonlyMap<string, ModelSettings>,
  order: readonly ProviderEntry[],
  fallback: ProviderEntry | null,
): Snapshot {
  const backends = new Map<string, Backend>();
  for (const { provider, asked } of order) {
    for (const offered of provider.models()) {
      if (asked && !isForChat(offered.model.name)) continue;
      const backend = toBackend(provider, offered);
      if (!backends.has(backend.id)) backends.set(backend.id, backend);
    }
  }
  const entries = new Map<string, CatalogEntry>();
  const ranks = new Map<string, readonly Rank[]>();
  for (const backend of backends.values()) {
    entries.set(backend.id, toEntry(backend, configured.get(backend.id), settings.prices));
    ranks.set(backend.id, [{ key: backend.id, members: [{ backend, weight: 1 }] }]);
  }
  const first = fallback?.provider.models()[0];
  const auto = chooseAuto(order) ?? (fallback && first ? toBackend(fallback.provider, first) : null);
  for (const name of Object.keys(settings.models)) {
    const id = `${settings.family}/${name}`;
    const own = toRanks(id, settings, backends, auto, new Set());
    ranks.set(id, own);
    entries.set(id, toOwnEntry(name, own, settings, entries));
  }
  const listed = [...entries.values()].filter(
    ({ id }) =>
      !id.startsWith(`${settings.family}/`) ||
      !isUnlisted(settings.family, id.slice(settings.family.length + 1)),
  );
  return {
    made: order.map(({ provider }) => provider.models()),
    entries,
    ranks,
    listed: listed.sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

const toBackend = (provider: Provider, offered: OfferedModel): Backend => ({
  id: `${provider.name}/${offered.model.name}`,
  provider,
  offered,
});

/** Places of an own name. An own name among its targets stands for its own places; a circle of them ends. */
function toRanks(
  id: string,
  settings: CatalogSettings,
  backends: ReadonlyMap<string, Backend>,
  auto: Backend | null,
  seen: Set<string>,
): readonly Rank[] {
  const prefix = `${settings.family}/`;
  const name = id.slice(prefix.length);
  if (seen.has(id) || !Object.hasOwn(settings.models, name)) return [];
  seen.add(id);
  return toPlaces(settings.models[name] ?? []).flatMap((place, at) => {
    const [first] = place;
    if (first !== undefined && place.length === 1 && first.model.startsWith(prefix))
      return toRanks(first.model, settings, backends, auto, seen);
    const members = place.flatMap(({ model, weight }) => {
      const backend = model === 'auto' ? auto : backends.get(model);
      return backend ? [{ backend, weight }] : [];
    });
    return members.length === 0 ? [] : [{ key: `${id}#${at}`, members }];
  });
}

/** A target of an own name: `auto` or `provider/model`, alone or with its share. */
type Target = Config['models'][string][number];

/** Lists of targets as places: neighbours with weights form one, all others stand alone. */
function toPlaces(targets: readonly Target[]): readonly (readonly Exclude<Target, string>[])[] {
  const places: Exclude<Target, string>[][] = [];
  let weighted: (typeof places)[number] | null = null;
  for (const target of targets) {
    if (typeof target === 'string') {
      weighted = null;
      places.push([{ model: target, weight: 1 }]);
    } else if (weighted === null) places.push((weighted = [target]));
    else weighted.push(target);
  }
  return places;
}

function toEntry(
  { id, provider, offered }: Backend,
  configured: ModelSettings | undefined,
  prices: CatalogSettings['prices'],
): CatalogEntry {
  const { model, created, ownedBy } = offered;
  const price = configured?.price ? toPrice(configured.price) : offered.price;
  return {
    id,
    displayName: model.name,
    created,
    ownedBy: ownedBy === '' ? provider.name : ownedBy,
    price: overridePrice(price ?? freePrice, ownValue(prices, id)),
    capabilities: model.capabilities,
    contextTokensMax: configured?.context ?? model.contextTokensMax,
    router: configured?.router ?? offered.router,
  };
}

function toPrice({ input, output, cacheRead, cacheWrite }: NonNullable<ModelSettings['price']>): ModelPrice {
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}

/** An own name costs what is listed for it, whatever it runs on; one that the operator added, what that costs. */
function toOwnEntry(
  name: string,
  ranks: readonly Rank[],
  { family, prices }: CatalogSettings,
  entries: ReadonlyMap<string, CatalogEntry>,
): CatalogEntry {
  const id = `${family}/${name}`;
  const backends = ranks.flatMap(({ members }) => members.map(({ backend }) => backend));
  const [first] = backends;
  const behind = first === undefined ? undefined : entries.get(first.id);
  return {
    id,
    displayName: name,
    created: 0,
    ownedBy: family,
    price: overridePrice(ownPriceOf(family, name) ?? behind?.price ?? freePrice, ownValue(prices, id)),
    capabilities: toOwnCapabilities(backends),
    contextTokensMax: behind?.contextTokensMax ?? null,
    router: !isUnlisted(family, name),
  };
}

/** The capabilities of the first backend; documents are passed on unread only if each of the backends reads them. */
function toOwnCapabilities(backends: readonly Backend[]): Capabilities {
  const [first = unknown, ...others] = backends.map(({ offered }) => offered.model.capabilities);
  const documents = first.documents && others.every((capabilities) => capabilities.documents);
  return documents === first.documents ? first : { ...first, documents };
}

/** Providers that an operator set up or that were found; the default that ships is none. */
export const isConfigured = (provider: Provider): boolean => provider.name !== embeddedName;

export const embeddedName = 'embedded';

/**
 * The model that `auto` stands for. The first provider that offers a model which generates decides, in the order of
 * the configuration (or of detection). Of a list that the operator wrote it is the first; of a list that was asked for
 * it is the newest among those that the service is known for, else the newest at all. Equally new ones go by name.
 */
function chooseAuto(entries: readonly ProviderEntry[]): Backend | null {
  for (const entry of entries) {
    const offered = choose(entry);
    if (offered !== null) return toBackend(entry.provider, offered);
  }
  return null;
}

function choose({ provider, asked, prefer }: ProviderEntry): OfferedModel | null {
  const generating = provider.models().filter(({ model }) => model.capabilities.generates);
  if (!asked) return generating[0] ?? null;
  const chat = generating.filter(({ model }) => isForChat(model.name));
  const preferred = prefer === null ? [] : chat.filter(({ model }) => prefer.test(model.name));
  const candidates = preferred.length > 0 ? preferred : chat;
  return (
    candidates.toSorted((a, b) => b.created - a.created || compare(a.model.name, b.model.name))[0] ?? null
  );
}

/** Higher version numbers first, so that equally new `gpt-5` and `gpt-4` are in the order one expects. */
function compare(a: string, b: string): number {
  return -a.localeCompare(b, 'en', { numeric: true });
}
