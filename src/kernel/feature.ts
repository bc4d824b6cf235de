import type { Config, FeatureConfig } from './config.ts';
import type { Command } from './commands/command.ts';
import type { Operation } from './http/operation.ts';
import type { PipelineDependencies } from './http/pipeline.ts';
import type { Kernel, Keep, KernelOverrides } from './open-kernel.ts';

/**
 * What is open while a server runs, by name; operations are handed it. The `feature.ts` that gives a service declares its
 * type here by merging, so that the list of features is the type of the services.
 */
export interface Services {
  readonly clock: Kernel['clock'];
  readonly ids: Kernel['ids'];
  /** Who may call, how often, and where it is billed: what the transport asks before an operation runs. */
  readonly gate: Pick<PipelineDependencies<unknown>, 'authenticate' | 'isAdmin' | 'admit' | 'reserveBilling'>;
}

/** Names, limits and switches that declarations of operations depend on. Features merge their own. */
export interface Settings {
  readonly version: string;
  readonly family: string;
  readonly publicUrl: string | null;
  /** Origins of web pages that may call; `*` is every one. */
  readonly corsOrigins: readonly string[];
  /** What the operator set for an item of the price list, or for a part of it. Unit: that of the item, USD. */
  readonly priceOf: (item: string, part: string) => number | undefined;
  readonly aliases: {
    /** The built-in names of the upstream service. */
    readonly upstream: boolean;
    readonly models: Readonly<Record<string, string>>;
  };
}

/** What tests hand in, in place of what the configuration would open. Features merge their own. */
export interface Overrides extends KernelOverrides {}

/** What a feature opens its services with. */
export interface OpenContext<Needs extends keyof Services> {
  readonly config: Config;
  readonly settings: Settings;
  readonly kernel: Kernel;
  /** Every operation of the API. */
  readonly operations: readonly Operation<Services>[];
  /** Those that the feature needs, open. */
  readonly services: Pick<Services, Needs>;
  readonly overrides: Overrides;
  /** Takes what closes, also while it is being opened, and closes it with the server. */
  readonly keep: Keep;
  /** Has something called once, with the address that callers use, when the server listens. */
  readonly onListening: (call: (url: string) => void) => void;
}

/** A model as a client of System One lists it. */
export interface ListedModel {
  readonly name: string;
  readonly description: string;
  readonly release_date: string;
}

/** One feature of the product: everything that the rest of the house knows of it. */
export interface Feature<
  Gives extends keyof Services = keyof Services,
  Needs extends keyof Services = keyof Services,
> {
  readonly name: string;
  /** Services of features that stand before this one in the list. */
  readonly needs?: readonly Needs[];
  /** Services that `open` resolves to. */
  readonly gives?: readonly Gives[];
  readonly config?: FeatureConfig;
  /** Its part of what declarations depend on. */
  settings?(config: Config): Partial<Settings>;
  /** Models that it adds to the list of System One clients. */
  lists?(settings: Settings): readonly ListedModel[];
  /** What it publishes. */
  operations?(settings: Settings, listed: readonly ListedModel[]): readonly Operation<Services>[];
  /** What it serves to people's browsers, and does not publish. */
  readonly pages?: readonly Operation<Services>[];
  open?(context: OpenContext<Needs>): Promise<Pick<Services, Gives>>;
  readonly commands?: readonly Command[];
}

/**
 * Declares a feature. Services, settings, operations, commands, the published description and the reference follow from
 * the list of features in `server.ts`.
 *
 * @example
 * export const feature = defineFeature({
 *   name: 'skills',
 *   gives: ['skills'],
 *   open: async ({ kernel }) => ({ skills: await openSkills(kernel) }),
 *   operations: skillOperations,
 * });
 */
export function defineFeature<Gives extends keyof Services = never, Needs extends keyof Services = never>(
  feature: Feature<Gives, Needs>,
): Feature {
  // `openFeatures` hands every feature exactly what it names, so the narrower type is safe to forget.
  return feature as unknown as Feature;
}

/** Every operation of some features, as it is published. */
export function operationsOf(
  features: readonly Feature[],
  settings: Settings,
): readonly Operation<Services>[] {
  const listed = features.flatMap((feature) => feature.lists?.(settings) ?? []);
  return features.flatMap((feature) => feature.operations?.(settings, listed) ?? []);
}

/** The features that give some services, with those that they need, in the order of the list. */
export function featuresFor(
  features: readonly Feature[],
  wanted: readonly (keyof Services)[],
): readonly Feature[] {
  const names = new Set<keyof Services>(wanted);
  return features
    .toReversed()
    .filter(({ gives = [], needs = [] }) => {
      if (!gives.some((name) => names.has(name))) return false;
      for (const name of needs) names.add(name);
      return true;
    })
    .toReversed();
}

async function open(feature: Feature, context: OpenContext<keyof Services>): Promise<Services> {
  const given = await feature.open?.(context);
  if (given === undefined) throw new Error(`${feature.name} gives services and opens none`);
  return given;
}

/**
 * Opens features, each as soon as the services that it needs are open. Rejects with the first failure, after everything
 * that was being opened beside it is open and kept. Throws for a service that no feature before the one gives.
 */
export async function openFeatures(
  features: readonly Feature[],
  context: Omit<OpenContext<never>, 'services'>,
): Promise<Services> {
  const opening = new Map<keyof Services, Promise<unknown>>([
    ['clock', Promise.resolve(context.kernel.clock)],
    ['ids', Promise.resolve(context.kernel.ids)],
  ]);
  const opened: Promise<unknown>[] = [];
  const pick = async (names: readonly (keyof Services)[], owner: string): Promise<Services> => {
    const entries = names.map(async (name) => {
      const service = opening.get(name);
      if (service === undefined) throw new Error(`${owner} needs ${name}, which no feature before it gives`);
      return [name, await service] as const;
    });
    return Object.fromEntries(await Promise.all(entries)) as unknown as Services;
  };
  for (const feature of features) {
    const { name, needs = [], gives = [] } = feature;
    if (gives.length === 0) continue;
    const given = pick(needs, name).then((services) => open(feature, { ...context, services }));
    for (const service of gives) {
      const one = given.then((services) => services[service]);
      // Told by `given`, whether or not somebody needs this one.
      one.catch(() => {});
      opening.set(service, one);
    }
    opened.push(given);
  }
  await Promise.allSettled(opened);
  await Promise.all(opened);
  return pick([...opening.keys()], 'the server');
}
