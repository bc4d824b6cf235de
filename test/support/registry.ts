import type { TestContext } from 'node:test';
import { Fault, type FaultCode } from '../../src/kernel/faults.ts';
import type { Balance } from '../../src/features/models/balance/balancer.ts';
import type { CatalogSettings } from '../../src/features/models/catalog.ts';
import type { Provider } from '../../src/features/models/model.ts';
import { openModels } from '../../src/features/models/open-models.ts';
import type { BackendFailure } from '../../src/features/models/registry.ts';
import { createManualClock } from './clock.ts';
import { fails, plainRequest, readText, type Answer } from './providers.ts';

export const never = new AbortController().signal;

/** A registry over these providers, with a clock that stands still. */
export function openRegistry(
  t: TestContext,
  providers: readonly Provider[],
  own: CatalogSettings['models'] = {},
  balance: Balance = 'auto',
) {
  const clock = createManualClock();
  const givenUp: BackendFailure[] = [];
  const settings = {
    family: 'svc',
    aliases: { upstream: true, models: {} },
    models: own,
    balance,
    prices: {},
    providers: [],
  };
  const onBackendFailure = (given: BackendFailure) => void givenUp.push(given);
  const models = openModels({ settings, fallback: null, clock, onBackendFailure });
  for (const [place, provider] of providers.entries())
    models.add({ provider, asked: false, prefer: null }, place);
  t.after(() => models.close());
  const ask = async (...names: string[]) => {
    const opened = await models.open(names, plainRequest, never);
    return { name: opened.name, id: opened.entry.id, text: await readText(opened.events) };
  };
  return { models, clock, givenUp, ask };
}

export const failing = (code: FaultCode): Answer => fails(() => new Fault(code));
export const failingAway = fails(() => new Fault('service_unavailable', undefined, { away: true }));
export const isFault = (code: FaultCode) => (error: unknown) => error instanceof Fault && error.code === code;

export function target(model: string, weight: number | null = null) {
  return weight === null ? model : { model, weight };
}

export const countOf = (calls: readonly string[], name: string) => calls.filter((one) => one === name).length;
