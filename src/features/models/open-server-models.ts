import { dirname } from 'node:path';
import { errorMessage } from '../../kernel/kit/errors.ts';
import type { Config } from '../../kernel/config.ts';
import { type Clock, systemClock } from '../../kernel/kit/clock.ts';
import { type Ids, randomIds } from '../../kernel/kit/ids.ts';
import { type Log, openLog } from '../../kernel/kit/log.ts';
import { loadWordVectors } from '../../kernel/kit/word-vectors.ts';
import { embeddedName } from './catalog.ts';
import type { Likeness } from './likeness.ts';
import { shareLocalModels, type OpenLocal } from './local-models.ts';
import { detectProviders, type Adopt } from './detect.ts';
import { findUnoffered } from './unoffered.ts';
import type { ProviderContext, ProviderDeclaration } from './define-provider.ts';
import type { Provider } from './model.ts';
import { openModels as openRegistry, type OpenedModels } from './open-models.ts';
import { modelProviders } from './providers/index.ts';
import { knownLocalServers, preferenceOf } from './services.ts';
import type { CommandContext } from '../../kernel/commands/command.ts';
import type { Overrides } from '../../kernel/feature.ts';

interface ModelsOptions extends Pick<Overrides, 'providers' | 'localServers' | 'refreshMs'> {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Shares files with others that open them; without it only providers share. */
  readonly openLocal?: OpenLocal;
  /** For the answers that are quoted; without it words alone choose them. */
  readonly likeness?: Likeness | null;
}

/** The models of a configuration, as a server on it would see them. */
export interface ServerModels extends OpenedModels {
  /** When everything that was configured or found has been opened and asked for its models, or its time was over. */
  readonly settled: Promise<void>;
  /** A line for each name of the configuration that no model has; says something once it is `settled`. */
  unoffered(): readonly string[];
}

/** How long a start waits for providers; those that take longer are adopted when they answer. */
const startWaitMs = 400;
const firstRefreshMs = 10_000;

/** Every model of the configuration, or what is found where it names none. Opens quickly, whatever the providers do. */
export async function openModels(
  config: Config,
  options: ModelsOptions,
  known: readonly ProviderDeclaration[] = modelProviders,
): Promise<ServerModels> {
  const { log, clock, ids } = options;
  const stopping = new AbortController();
  const context: ProviderContext = {
    clock,
    ids,
    packageFolders: [...(config.configFile === null ? [] : [dirname(config.configFile)]), config.dataFolder],
    openLocal: options.openLocal ?? shareLocalModels(config.decisions),
  };
  const isDetecting = config.providers.length === 0 && options.providers === undefined;
  const { openExtractiveProvider } = await import('./providers/extractive/index.ts');
  const embedded = openExtractiveProvider({
    name: embeddedName,
    vectors: loadWordVectors,
    likeness: options.likeness ?? null,
  });
  const models = openRegistry({
    settings: config,
    fallback: isDetecting ? { provider: embedded, asked: false, prefer: null } : null,
    clock,
    ...(options.refreshMs && { refreshMs: options.refreshMs }),
    onBackendFailure: ({ id, fault }) =>
      log.warn({ backend: id, fault: fault.code, err: fault.cause }, 'backend given up'),
  });
  const adopt = createAdopt(models, known, context, log, stopping.signal);
  for (const [place, provider] of (options.providers ?? []).entries())
    models.add({ provider, asked: false, prefer: null }, place);
  const configured = options.providers === undefined ? config.providers : [];
  const work = configured.map((settings, place) =>
    adopt(settings, place, preferenceOf(settings.baseUrl ?? '')),
  );
  if (isDetecting && config.detect)
    work.push(
      detectProviders(config, options.localServers ?? knownLocalServers, log, stopping.signal, adopt),
    );
  const settled = Promise.all(work)
    .then(() => findUnoffered(config, models).forEach((line) => log.warn(line)))
    .catch((error: unknown) => log.error({ err: error }, 'models: looking for providers failed'));
  // Providers that take longer are opened beside the requests; `settled` logs their failures.
  await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, startWaitMs).unref())]);
  return {
    ...models,
    settled,
    unoffered: () => findUnoffered(config, models),
    async close() {
      stopping.abort(new Error('closed'));
      await settled;
      await models.close();
    },
  };
}

/** Opens a provider at its place and asks it for its models. Resolves when that is done or its time is over. */
function createAdopt(
  models: OpenedModels,
  known: readonly ProviderDeclaration[],
  context: ProviderContext,
  log: Log,
  stopping: AbortSignal,
): Adopt {
  return async (settings, place, prefer) => {
    const { name, type } = settings;
    const declared = known.find((one) => one.type === type);
    if (declared === undefined) throw new Error(`no provider ${type}`);
    const provider = deferProvider(name, type, declared.open(settings, context));
    const asked = declared.lists === true && settings.models === '*';
    models.add({ provider, asked, prefer }, place);
    const problem = await provider.problem;
    if (problem !== null) log.error(`models: the provider ${name} cannot be used: ${problem}`);
    if (problem !== null || stopping.aborted) return;
    await provider.refresh(AbortSignal.any([stopping, AbortSignal.timeout(firstRefreshMs)]));
    if (provider.health() === 'down') log.warn(`models: the provider ${name} is not reachable yet`);
  };
}

/** A provider that is still being opened: down and without models until it is, or for good where it has a problem. */
function deferProvider(name: string, type: string, opening: Promise<Provider>) {
  let provider: Provider | null = null;
  const none: ReturnType<Provider['models']> = [];
  const problem = opening.then((opened) => {
    provider = opened;
    return null;
  }, errorMessage);
  return {
    name,
    type,
    problem,
    models: () => provider?.models() ?? none,
    health: () => provider?.health() ?? 'down',
    refresh: async (signal: AbortSignal) => provider?.refresh(signal),
    lastList: () => provider?.lastList?.() ?? null,
    async close() {
      await problem;
      await provider?.close();
    },
  };
}

/** What the subcommands of `nestor models` use of their context. */
export type ModelsContext = Pick<
  CommandContext,
  | 'cwd'
  | 'load'
  | 'openModels'
  | 'open'
  | 'findAdapter'
  | 'hub'
  | 'stdin'
  | 'out'
  | 'err'
  | 'clock'
  | 'signal'
>;

/** The models of a configuration for commands. Problems are logged to standard error. */
export async function openModelTools(config: Config): Promise<ServerModels> {
  const log = await openLog({ ...config.log, level: 'error' });
  return openModels(config, { log, clock: systemClock, ids: randomIds });
}
