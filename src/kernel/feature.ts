import type { Config, FeatureConfig } from './config.ts';
import type { Operation } from './http/operation.ts';
import type { PipelineDependencies } from './http/pipeline.ts';
import type { Kernel, Keep, KernelOverrides } from './open-kernel.ts';

/** The open services by name, passed to operations. Each `feature.ts` merges the types of those it gives. */
export interface Services {
  readonly clock: Kernel['clock'];
  readonly ids: Kernel['ids'];
  /** Authentication, rate limits and billing, for the transport. */
  readonly gate: Pick<PipelineDependencies<unknown>, 'authenticate' | 'isAdmin' | 'admit' | 'reserveBilling'>;
}

/** Names, limits and switches that operations are declared with. Features merge theirs. */
export interface Settings {
  readonly version: string;
  readonly family: string;
  readonly publicUrl: string | null;
  /** Origins of web pages that may call; `*` is any. */
  readonly corsOrigins: readonly string[];
  /** The operator's price of an item or its part. Unit: USD per unit of the item. */
  readonly priceOf: (item: string, part: string) => number | undefined;
  readonly aliases: {
    /** Whether the upstream service's names are accepted. */
    readonly upstream: boolean;
    readonly models: Readonly<Record<string, string>>;
  };
}

/** Replacements that tests pass in. Features merge theirs. */
export interface Overrides extends KernelOverrides {}

export interface OpenContext<Needs extends keyof Services> {
  readonly config: Config;
  readonly settings: Settings;
  readonly kernel: Kernel;
  /** Every operation of the API. */
  readonly operations: readonly Operation<Services>[];
  /** The services that the feature needs. */
  readonly services: Pick<Services, Needs>;
  readonly overrides: Overrides;
  /** See `Keep`. */
  readonly keep: Keep;
  /** Calls back once with the server's address when it listens. */
  readonly onListening: (call: (url: string) => void) => void;
}

/** A model as System One clients list it. */
export interface ListedModel {
  readonly name: string;
  readonly description: string;
  readonly release_date: string;
}

export interface Feature<
  Gives extends keyof Services = keyof Services,
  Needs extends keyof Services = keyof Services,
> {
  readonly name: string;
  /** Services of features earlier in the list. */
  readonly needs?: readonly Needs[];
  /** Services that `open` resolves to. */
  readonly gives?: readonly Gives[];
  readonly config?: FeatureConfig;
  settings?(config: Config): Partial<Settings>;
  /** Models that it adds to the list of System One clients. */
  lists?(settings: Settings): readonly ListedModel[];
  /** Published operations. */
  operations?(settings: Settings, listed: readonly ListedModel[]): readonly Operation<Services>[];
  /** Unpublished pages for browsers. */
  readonly pages?: readonly Operation<Services>[];
  open?(context: OpenContext<Needs>): Promise<Pick<Services, Gives>>;
}

/**
 * Declares a feature. Services, settings, operations, commands, the published description and the reference follow
 * from the list in `server.ts`.
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
  // `openFeatures` passes each feature what it names, so the narrower type may be dropped.
  return feature as unknown as Feature;
}

export function operationsOf(
  features: readonly Feature[],
  settings: Settings,
): readonly Operation<Services>[] {
  const listed = features.flatMap((feature) => feature.lists?.(settings) ?? []);
  return features.flatMap((feature) => feature.operations?.(settings, listed) ?? []);
}

/** The features that give some services, and those that they need, in order. */
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
 * Opens features, each as soon as the services it needs are open. Rejects with the first failure once everything else
 * has settled. Throws for a service that no earlier feature gives.
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
      // `given` reports it.
      one.catch(() => {});
      opening.set(service, one);
    }
    opened.push(given);
  }
  await Promise.allSettled(opened);
  await Promise.all(opened);
  return pick([...opening.keys()], 'the server');
}
