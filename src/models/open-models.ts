import { Fault } from '../faults.ts';
import type { Clock } from '../kit/clock.ts';
import type { BreakerPolicy } from '../kit/upstreams.ts';
import { createBalancer } from './balance.ts';
import { createBreakers, type Breakers } from './breakers.ts';
import { createCatalog, isConfigured, type CatalogSettings } from './catalog.ts';
import { countContinued } from './continuation.ts';
import { isBackendFault, openFirst, type Candidate, type OpenParts } from './open-first.ts';
import type { ModelRequest } from './model.ts';
import type { GivenUp, Models } from './registry.ts';
import type { ProviderEntry, Rank } from './target.ts';

export interface ModelsParts {
  readonly settings: CatalogSettings;
  readonly clock: Clock;
  readonly onGivenUp: (givenUp: GivenUp) => void;
  /** How often providers are asked again: all of them, and those that are down or offer nothing. Unit: ms. */
  readonly refreshMs?: { readonly all: number; readonly down: number };
}

export interface OpenedModels extends Models {
  /** Takes a provider in, which is closed with the rest. Lower places come first. */
  add(entry: ProviderEntry, place: number): void;
  /** What an entry runs on, in the order in which it is tried. Empty while nothing is offered. */
  backendsOf(id: string): readonly { readonly id: string; readonly health: 'ok' | 'down' }[];
  /** Asks every provider for its models and waits, no longer than the deadline. Never rejects. Unit: ms. */
  refresh(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

const policy: BreakerPolicy = { failuresMax: 3, coolDownMs: 5_000, coolDownMaxMs: 60_000 };
const often = { all: 600_000, down: 15_000 };
const refreshDeadlineMs = 10_000;

/** Every model behind one registry: names, health and weights. Knows no provider by itself; they are added. */
export function openModels({ settings, clock, onGivenUp, refreshMs = often }: ModelsParts): OpenedModels {
  const catalog = createCatalog(settings);
  const parts: OpenParts = { breakers: createBreakers(policy, clock), balancer: createBalancer(), onGivenUp };
  const stopping = new AbortController();
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
  const candidatesOf = (names: readonly string[]): Candidate[] =>
    names.map((name) => {
      const entry = catalog.find(name);
      if (entry === null) throw new Fault('invalid_model', undefined, { param: 'model' });
      return { name, entry, ranks: catalog.ranksOf(entry.id) };
    });
  return {
    list: () => catalog.list(),
    find: (name) => catalog.find(name),
    open: async (names, request, signal) => openFirst(candidatesOf(names), request, signal, parts),
    async countTokens(name, request, signal) {
      const [candidate] = candidatesOf([name]);
      return countFirst(candidate?.ranks ?? [], request, signal, parts.breakers);
    },
    health: () => healthOf(configured(), settings.fallback !== null),
    backendsOf: (id) =>
      catalog.ranksOf(id).flatMap(({ members }) =>
        members.map(({ backend: { id, provider } }) => {
          const isUp = parts.breakers.state(id) === 'closed' && provider.health() === 'ok';
          return { id, health: isUp ? 'ok' : 'down' } as const;
        }),
      ),
    add: (entry, place) => catalog.add(entry, place),
    refresh: async (deadlineMs) => void (await refreshAll(configured(), deadlineMs)),
    async close() {
      for (const timer of timers) clearInterval(timer);
      stopping.abort(new Error('closed'));
      await Promise.all(catalog.entries().map(({ provider }) => provider.close()));
    },
  };
}

function healthOf(all: readonly ProviderEntry[], hasDefault: boolean): ReturnType<Models['health']> {
  // What was only found and never answered leaves the default in charge.
  if (hasDefault && all.every(({ provider }) => provider.models().length === 0)) return 'not_configured';
  return all.every(({ provider }) => provider.health() === 'down') ? 'down' : 'ok';
}

/** Backends as listed: counting is no turn of the weights, and says nothing to a breaker. */
async function countFirst(
  ranks: readonly Rank[],
  request: ModelRequest,
  signal: AbortSignal,
  breakers: Breakers,
): Promise<number> {
  let last: unknown = null;
  for (const { backend } of ranks.flatMap(({ members }) => members)) {
    if (breakers.state(backend.id) === 'open') continue;
    try {
      return await countContinued(backend.offered.model, request, signal);
    } catch (error) {
      if (!isBackendFault(error)) throw error;
      last = error;
    }
  }
  throw last ?? new Fault('service_unavailable');
}

const isMissing = ({ provider }: ProviderEntry): boolean =>
  provider.health() === 'down' || provider.models().length === 0;
