import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { openOutbound } from '../kit/outbound.ts';
import { loadWordVectors } from '../kit/word-vectors.ts';
import { embeddedName, type ModelNote } from '../models/catalog.ts';
import { deferProvider } from '../models/defer.ts';
import { describeFinding, findFile, findLocalServer, findServices, type Finding } from '../models/detect.ts';
import type { ModelPrice, Provider } from '../models/model.ts';
import { openModels as openRegistry, type OpenedModels } from '../models/open-models.ts';
import { openProvider, type ProviderParts, type ProviderSettings } from '../models/providers/index.ts';
import { knownLocalServers, preferenceOf, type KnownLocalServer } from '../models/services.ts';
import type { Target } from '../models/target.ts';
import { createLocalModels, type OpenLocal } from './local-models.ts';

export interface ModelsOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  /** In place of the configured ones; nothing is looked for then. */
  readonly providers?: readonly Provider[];
  /** Ports on which servers are looked for. */
  readonly localServers?: readonly KnownLocalServer[];
  /** Shares files with others that open them; without it only providers share. */
  readonly openLocal?: OpenLocal;
  /** How often providers are asked for their models again. Unit: ms. */
  readonly refreshMs?: { readonly all: number; readonly down: number };
}

export interface ServerModels extends OpenedModels {
  /** When everything that was configured or found has been opened and asked for its models, or its time was over. */
  readonly settled: Promise<void>;
}

/** How long a start waits for providers; those that take longer are adopted when they answer. */
const startWaitMs = 400;
const firstRefreshMs = 10_000;
const probeMs = 1_000;
const detectedTimeoutMs = 120_000;

/** Loaded with the first file: most servers have none. */
const openLocalModel: OpenLocal = async (options) => {
  const engine = await import('../models/providers/local/engine.ts');
  return engine.openLocalModel(options);
};

/** Every model of the configuration, or what is found where it names none. Opens quickly, whatever the providers do. */
export async function openModels(config: Config, options: ModelsOptions): Promise<ServerModels> {
  const { log, clock, ids } = options;
  const stopping = new AbortController();
  const parts: ProviderParts = {
    clock,
    ids,
    vectors: () => loadWordVectors(),
    packageFolders: [...(config.configFile === null ? [] : [dirname(config.configFile)]), config.dataFolder],
    openLocal: options.openLocal ?? createLocalModels(openLocalModel),
  };
  const isDetecting = config.providers.length === 0 && options.providers === undefined;
  const embedded = await openProvider({ type: 'extractive', name: embeddedName }, parts);
  const models = openRegistry({
    settings: {
      family: config.family,
      aliases: config.aliases,
      own: toOwnNames(config),
      prices: config.prices,
      notes: toNotes(config),
      fallback: isDetecting ? { provider: embedded, asked: false, prefer: null } : null,
    },
    clock,
    ...(options.refreshMs && { refreshMs: options.refreshMs }),
    onGivenUp: ({ id, fault }) =>
      log.warn({ backend: id, fault: fault.code, err: fault.cause }, 'backend given up'),
  });
  const adopt = async (settings: ProviderSettings, place: number, prefer: RegExp | null): Promise<void> => {
    const { name, type } = settings;
    const provider = deferProvider(name, type, openProvider(settings, parts), (problem) =>
      log.error(`models: the provider ${name} cannot be used: ${problem}`),
    );
    const asked = type !== 'extractive' && type !== 'local' && settings.models === '*';
    models.add({ provider, asked, prefer }, place);
    await provider.opened;
    if (!stopping.signal.aborted)
      await provider.refresh(AbortSignal.any([stopping.signal, AbortSignal.timeout(firstRefreshMs)]));
    if (provider.health() === 'down') log.warn(`models: the provider ${name} is not reachable yet`);
  };
  for (const [place, provider] of (options.providers ?? []).entries())
    models.add({ provider, asked: false, prefer: null }, place);
  const configured = options.providers === undefined ? config.providers : [];
  const work = configured.map((provider, place) => {
    const settings = toSettings(provider);
    return adopt(settings, place, 'baseUrl' in settings ? preferenceOf(settings.baseUrl ?? '') : null);
  });
  if (isDetecting && config.detect)
    work.push(detect(config, options.localServers ?? knownLocalServers, log, stopping.signal, adopt));
  const settled = Promise.all(work).then(() => warnOfUnknown(config, models, log));
  // What takes longer goes on beside the requests; failures of it were told by then.
  await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, startWaitMs).unref())]);
  return {
    ...models,
    settled,
    async close() {
      stopping.abort(new Error('closed'));
      await settled;
      await models.close();
    },
  };
}

type Adopt = (settings: ProviderSettings, place: number, prefer: RegExp | null) => Promise<void>;

/** Places keep the order of preference whatever answers first: services, then servers, then the file. */
const servicePlace = 0;
const serverPlace = 100;
const filePlace = 200;

async function detect(
  config: Config,
  localServers: readonly KnownLocalServer[],
  log: Log,
  signal: AbortSignal,
  adopt: Adopt,
): Promise<void> {
  const take = async (finding: Finding | null, place: number): Promise<void> => {
    if (finding === null || signal.aborted) return;
    log.info(describeFinding(finding));
    await adopt(toFoundSettings(finding), place, finding.kind === 'service' ? finding.prefer : null);
  };
  const services = findServices(config.serviceVariables).map((finding, at) =>
    take(finding, servicePlace + at),
  );
  const outbound = openOutbound({ responseBytesMax: 4_194_304, connectionsMax: 1 });
  // Our own port would answer with our own models.
  const others = localServers.filter(({ port }) => port !== config.port);
  const servers = others.map(async (server, at) =>
    take(await findLocalServer(server, outbound, probeMs, signal), serverPlace + at),
  );
  const file = findFile(config.dataFolder).then((finding) => take(finding, filePlace));
  await Promise.all([...services, ...servers, file]);
  await outbound.close();
}

function toFoundSettings(finding: Finding): ProviderSettings {
  const { name } = finding;
  const common = { name, models: '*', timeoutMs: detectedTimeoutMs, headers: {} } as const;
  switch (finding.kind) {
    case 'service':
      return { ...common, type: finding.type, baseUrl: finding.baseUrl, key: finding.key };
    case 'server':
      return { ...common, type: 'openai-compatible', baseUrl: finding.baseUrl, key: null };
    case 'file':
      return { type: 'local', name, path: finding.path, models: '*', contextTokensMax: null };
  }
}

function toSettings(provider: Config['providers'][number]): ProviderSettings {
  const models = provider.models === '*' ? '*' : provider.models.map(({ id }) => id);
  if (provider.type === 'local') {
    const [first] = provider.models === '*' ? [] : provider.models;
    return { ...provider, models, contextTokensMax: first?.context ?? null };
  }
  const { timeoutS, ...rest } = provider;
  return { ...rest, models, timeoutMs: timeoutS * 1_000 };
}

function toOwnNames({ models }: Config): Readonly<Record<string, readonly Target[]>> {
  return Object.fromEntries(
    Object.entries(models).map(([name, targets]) => [
      name,
      targets.map((target) => (typeof target === 'string' ? { model: target, weight: null } : target)),
    ]),
  );
}

/** What the configuration says of single models. */
function toNotes({ providers }: Config): ReadonlyMap<string, ModelNote> {
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

function toPrice(price: {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
}): ModelPrice {
  const { input, output, cacheRead, cacheWrite } = price;
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}

/** Targets that nothing stands behind: mostly a name misspelt, which nobody should have to find out by a 503. */
function warnOfUnknown({ family, models: own }: Config, models: OpenedModels, log: Log): void {
  for (const [name, targets] of Object.entries(own)) {
    for (const target of targets) {
      const id = typeof target === 'string' ? target : target.model;
      if (id === 'auto' || models.find(id) !== null) continue;
      log.warn(
        `models.${name}: nothing is offered as ${id}; ${family}/${name} passes it by until something is`,
      );
    }
  }
}
