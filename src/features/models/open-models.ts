import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Trial } from '../../kernel/kit/trial.ts';
import type { BreakerPolicy } from '../../kernel/kit/breaker.ts';
import { Breakers } from '../../kernel/kit/breakers.ts';
import { createBalancer } from './balance/balancer.ts';
import { idsOf, isBackendFault, openFirst, type Candidate, type OpenDependencies } from './open-first.ts';
import type { Config } from '../../kernel/config.ts';
import type { Overrides } from '../../kernel/feature.ts';
import { createCatalog, isConfigured, type Catalog, type CatalogSettings } from './catalog.ts';
import { toContinued } from './continuation.ts';
import type { ModelRequest } from './model.ts';
import { probeModel } from './first-output.ts';
import type { Backend, Models, ProviderEntry, Rank } from './registry.ts';

interface RegistryOptions extends Pick<OpenDependencies, 'onBackendFailure'>, Pick<Overrides, 'refreshMs'> {
  readonly settings: CatalogSettings & Pick<Config, 'balance'>;
  readonly fallback: ProviderEntry | null;
  readonly clock: Clock;
}

export interface OpenedModels extends Models {
  /** Takes a provider in, which is closed with the rest. Lower places come first. */
  add(entry: ProviderEntry, place: number): void;
  /** Backends of an entry, in the order in which they are tried. Empty while nothing is offered. */
  backendsOf(id: string): readonly { readonly id: string; readonly health: 'ok' | 'down' }[];
  /** What came of asking each provider for its list the last time; null where it was not asked. */
  lists(): readonly { readonly provider: string; readonly trial: Trial | null }[];
  /** Asks every provider for its models and waits, no longer than the deadline. Never rejects. Unit: ms. */
  refresh(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

const policy: BreakerPolicy = { failuresMax: 3, coolDownMs: 5_000, coolDownMaxMs: 60_000 };
const often = { all: 600_000, down: 15_000 };
const refreshDeadlineMs = 10_000;

/** Opens the registry of all models: names, health and weights. Providers are added to it. */
export function openModels({
  settings,
  fallback,
  clock,
  onBackendFailure,
  refreshMs = often,
}: RegistryOptions): OpenedModels {
  const catalog = createCatalog(settings, fallback);
  const stopping = new AbortController();
  const breakers = watchBackends(catalog, clock, stopping.signal);
  const balancer = createBalancer(settings.balance, clock);
  const configured = () => catalog.entries().filter(({ provider }) => isConfigured(provider));
  const refreshAll = (which: readonly ProviderEntry[], deadlineMs: number) => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(deadlineMs)]);
    return Promise.all(which.map(({ provider }) => provider.refresh(signal)));
  };
  const timers = [
    setInterval(() => void refreshAll(configured(), refreshDeadlineMs), refreshMs.all),
    setInterval(() => void refreshAll(configured().filter(isMissing), refreshDeadlineMs), refreshMs.down),
  ];
  for (const timer of timers) timer.unref();
  const candidateOf = (name: string): Candidate => {
    const entry = catalog.find(name);
    if (entry === null) throw new Fault('invalid_model', undefined, { param: 'model' });
    return { name, entry, ranks: catalog.ranksOf(entry.id) };
  };
  const dependencies: OpenDependencies = { candidateOf, breakers, balancer, onBackendFailure };
  return {
    list: () => catalog.list(),
    find: (name) => catalog.find(name),
    open: (names, request, signal) => openFirst(names, request, signal, dependencies),
    countTokens: async (name, request, signal) =>
      countFirst(candidateOf(name).ranks, request, signal, breakers),
    rests(name) {
      const entry = catalog.find(name);
      return entry !== null && areResting(idsOf(catalog.ranksOf(entry.id)), breakers);
    },
    isAvailable: (id) => backendsIn(catalog, id).some((backend) => isServing(id, backend, breakers)),
    prices: () => (hasPrices(settings, catalog) ? 'configured' : 'default'),
    health: () => healthOf(configured(), breakers, fallback !== null),
    backendsOf: (id) =>
      backendsIn(catalog, id).map((backend) => {
        return { id: backend.id, health: isUp(backend, breakers) ? 'ok' : 'down' } as const;
      }),
    add: (entry, place) => catalog.add(entry, place),
    lists: () =>
      configured().map(({ provider }) => ({ provider: provider.name, trial: provider.lastList?.() ?? null })),
    refresh: async (deadlineMs) => void (await refreshAll(configured(), deadlineMs)),
    async close() {
      for (const timer of timers) clearInterval(timer);
      stopping.abort(new Error('closed'));
      breakers.close();
      await Promise.all(catalog.entries().map(({ provider }) => provider.close()));
    },
  };
}

/** A breaker for each backend that was asked. When one rests, the provider's other models are mostly away with it. */
function watchBackends(catalog: Catalog, clock: Clock, stopping: AbortSignal): Breakers<string> {
  const backendOf = (id: string) => catalog.ranksOf(id)[0]?.members[0]?.backend;
  return new Breakers<string>({
    policy,
    clock,
    async probe(id, signal) {
      const model = backendOf(id)?.offered.model;
      // A model that is not offered any more needs no breaker.
      return model === undefined ? 'answered' : probeModel(model, signal);
    },
    onRest(id) {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(refreshDeadlineMs)]);
      void backendOf(id)?.provider.refresh(signal);
    },
  });
}

const backendsIn = (catalog: Catalog, id: string): readonly Backend[] =>
  catalog.ranksOf(id).flatMap(({ members }) => members.map(({ backend }) => backend));

const isUp = ({ id, provider }: Backend, breakers: Breakers<string>): boolean =>
  !breakers.isResting(id) && provider.health() === 'ok';

function isServing(id: string, backend: Backend, breakers: Breakers<string>): boolean {
  const { generates } = backend.offered.model.capabilities;
  return (generates || backend.id === id) && isUp(backend, breakers);
}

/** Own names have built-in prices, which say nothing of what an answer costs here. */
function hasPrices({ prices, family }: CatalogSettings, catalog: Catalog): boolean {
  if (Object.keys(prices).length > 0) return true;
  return catalog
    .list()
    .some(({ id, price }) => !id.startsWith(`${family}/`) && price.input + price.output > 0);
}

function areResting(ids: readonly string[], breakers: Breakers<string>): boolean {
  return ids.length > 0 && ids.every((id) => breakers.isResting(id));
}

/** Down only when nothing is left that a request could go to. */
function healthOf(all: readonly ProviderEntry[], breakers: Breakers<string>, hasDefault: boolean) {
  // Providers that were detected and never answered do not replace the default.
  if (hasDefault && all.every(({ provider }) => provider.models().length === 0)) return 'not_configured';
  const isAway = ({ provider }: ProviderEntry): boolean => {
    const ids = provider.models().map(({ model }) => `${provider.name}/${model.name}`);
    return provider.health() === 'down' || areResting(ids, breakers);
  };
  return all.every(isAway) ? 'down' : 'ok';
}

/** Backends as listed: counting is no turn of the weights, and says nothing to a breaker. */
async function countFirst(
  ranks: readonly Rank[],
  request: ModelRequest,
  signal: AbortSignal,
  breakers: Breakers<string>,
): Promise<number> {
  let last: unknown = null;
  const takeable = new Set(breakers.candidates(idsOf(ranks)));
  for (const { backend } of ranks.flatMap(({ members }) => members)) {
    if (!takeable.has(backend.id)) continue;
    try {
      const { model } = backend.offered;
      return await model.countTokens(toContinued(model, request), signal);
    } catch (error) {
      if (!isBackendFault(error)) throw error;
      last = error;
    }
  }
  throw last ?? new Fault('service_unavailable');
}

const isMissing = ({ provider }: ProviderEntry): boolean =>
  provider.health() === 'down' || provider.models().length === 0;
