import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createLimiter } from './accounts/limiter.ts';
import { openAccounts } from './accounts/open-accounts.ts';
import type { Tokens } from './accounts/tokens.ts';
import type { Config } from './config.ts';
import type { EngineRequest } from './commands/eval-parts.ts';
import type { DecisionEngine } from './decisions/engine.ts';
import { decisionEngineNames } from './decisions/engines/index.ts';
import { openEngine } from './decisions/open-engine.ts';
import { withSteps } from './decisions/steps.ts';
import { readCalibration } from './evaluation/calibration-file.ts';
import { Fault } from './faults.ts';
import { describeApi } from './http/openapi.ts';
import type { Metrics } from './http/metrics.ts';
import type { Billing } from './http/operation.ts';
import type { RequestRecord } from './http/pipeline.ts';
import { createTransport } from './http/transport.ts';
import { systemClock, type Clock } from './kit/clock.ts';
import { randomIds, type Ids } from './kit/ids.ts';
import type { Log } from './kit/log.ts';
import { decisionPriceUsdPerMillion } from './operations/deciders.ts';
import { operations } from './operations/index.ts';
import type { Services, Settings } from './operations/services.ts';
import { openDatabase, type Database } from './storage/database.ts';
import type { UsageRow } from './storage/usage.ts';

/** What tests may hand in; everything else comes from the configuration. */
export interface ServerParts {
  readonly log: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly decisions?: DecisionEngine;
}

export interface Server {
  /** The root key that this start made and stored by hash; null when there was one. Shown once, by the caller. */
  readonly newRootKey: string | null;
  readonly engineName: string;
  /** Resolves to the address that callers use, for example `http://127.0.0.1:8787`. */
  listen(): Promise<string>;
  /** Stops accepting, gives running requests the grace time, then ends them and closes every part. */
  close(): Promise<void>;
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Time that requests have to notice that they were aborted. */
const abortGraceMs = 1_000;

/** Opens the parts in order and puts them together. The only place that opens what closes. */
export async function openServer(config: Config, parts: ServerParts): Promise<Server> {
  const { log, clock = systemClock, ids = randomIds } = parts;
  const metrics = await openMetrics(config);
  const [database, engine] = await openBoth(config, parts, (mass) => metrics?.labelMass(mass));
  const accounts = await openAccounts({
    database,
    dataFolder: config.dataFolder,
    configuredKeys: config.keys,
    family: config.family,
    clock,
    ids,
    onMeterError: (error) => log.error({ err: error }, 'the ledger cannot be written'),
  });
  for (const name of withoutEffect(config)) log.warn(`${name}: accepted, but has no effect in this version`);
  const stopping = new AbortController();
  const settings = toSettings(config);
  const list = operations(settings);
  const limiter = createLimiter({
    clock,
    enabled: config.rateLimits.enabled,
    overrides: config.rateLimits.tables,
  });
  const services = createServices(list, engine, database, accounts.tokens);
  const app = createTransport(
    list,
    {
      services,
      authenticate: accounts.authenticate,
      admit: (buckets, { principal, address }) =>
        limiter.take(buckets, principal?.accountId ?? address, principal?.tier ?? 0),
      record(record) {
        logRecord(log, record);
        if (record.billing !== null) accounts.meter.add(toUsageRow(record, record.billing, clock.now()));
        metrics?.observe(record);
      },
      clock,
      ids,
      stopping: stopping.signal,
    },
    { corsOrigins: config.cors.origins },
  );
  return {
    newRootKey: accounts.newRootKey,
    engineName: engine.name,
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      return toUrl(app.server.address() as AddressInfo);
    },
    async close() {
      await closeTransport(app, stopping, config.shutdownGraceS * 1_000);
      await accounts.close();
      await metrics?.close();
      await engine.close();
      await database.close();
    },
  };
}

/** Stops accepting; running requests have the grace time, then are aborted, then are cut. */
async function closeTransport(
  app: FastifyInstance,
  stopping: AbortController,
  graceMs: number,
): Promise<void> {
  const closed = app.close();
  // A connection becomes idle when its last reply is out, and Node would keep it for the next request.
  const idle = setInterval(() => app.server.closeIdleConnections(), 20);
  const abort = setTimeout(() => {
    stopping.abort(new Fault('service_unavailable', 'The server is stopping.'));
  }, graceMs);
  const kill = setTimeout(() => app.server.closeAllConnections(), graceMs + abortGraceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(abort);
  clearTimeout(kill);
}

/** Keys that are set for parts which this version does not have. Nobody should believe that they work. */
function withoutEffect({ redis, adminKey, providers, search, embeddings }: Config): string[] {
  const set = {
    redis: redis !== null,
    admin_key: adminKey !== null,
    providers: providers.some(({ type }) => type !== 'local'),
    'search.engines': search.engines.length > 0,
    'embeddings.engine': embeddings.engine !== 'auto',
  };
  return Object.entries(set).flatMap(([name, isSet]) => (isSet ? [name] : []));
}

async function openBoth(
  config: Config,
  parts: ServerParts,
  onLabelMass: (mass: number) => void,
): Promise<[Database, DecisionEngine]> {
  const opening = openDatabase(config.database, { dataFolder: config.dataFolder });
  const engine = parts.decisions ?? openDecisions(config, parts.log, onLabelMass);
  const [database, decisions] = await Promise.allSettled([opening, engine]);
  if (database.status === 'rejected') {
    if (decisions.status === 'fulfilled') await decisions.value.close();
    throw database.reason;
  }
  if (decisions.status === 'rejected') {
    await database.value.close();
    throw decisions.reason;
  }
  return [database.value, decisions.value];
}

/** The engine with its steps. One that cannot work is told and kept: the server serves, and `/readyz` says so. */
async function openDecisions(
  config: Config,
  log: Log,
  onLabelMass: (mass: number) => void,
): Promise<DecisionEngine> {
  const { engine, gpu, upstreams, timeoutS, order, prior, negation, calibration } = config.decisions;
  const choice = {
    engine,
    path: modelPathOf(config),
    gpu,
    upstreams,
    timeoutMs: timeoutS * 1_000,
    dataFolder: config.dataFolder,
  };
  const opened = await openEngine(choice, onLabelMass);
  if (opened.problem) log.error(`decisions: ${opened.problem}`);
  else if (opened.health() === 'down') log.warn(`decisions: the engine ${opened.name} is not reachable yet`);
  const fitted = calibration === null ? null : readCalibration(calibration, opened.name);
  return withSteps(opened, { passes: order.passes, prior, negation, calibration: fitted });
}

/** The file of the decider, or that of a local provider, which can decide as well. */
function modelPathOf({ decisions, providers }: Config): string | null {
  const local = providers.find((provider) => provider.type === 'local');
  return decisions.path ?? local?.path ?? null;
}

/** An engine without steps, for `nestor eval` and `nestor calibrate`. A remote one is any server of System One. */
export async function openBareDecisions(request: EngineRequest): Promise<DecisionEngine> {
  const { config, engine, remote, onLabelMass } = request;
  const { gpu, upstreams, timeoutS } = config.decisions;
  const path = modelPathOf(config);
  const common = { gpu, timeoutMs: timeoutS * 1_000, dataFolder: config.dataFolder };
  const named = decisionEngineNames.find((name) => name === engine) ?? config.decisions.engine;
  const choice =
    remote === null
      ? { ...common, engine: named, path, upstreams }
      : { ...common, engine: 'systemone' as const, path: null, upstreams: [remote] };
  const opened = await openEngine(choice, onLabelMass);
  if (opened.problem) throw new Error(opened.problem);
  return opened;
}

async function openMetrics({ metrics, host }: Config): Promise<Metrics | null> {
  if (metrics.port === null) return null;
  const module = await import('./http/metrics.ts');
  return module.openMetrics(host, metrics.port);
}

function createServices(
  list: ReturnType<typeof operations>,
  engine: DecisionEngine,
  database: Database,
  tokens: Tokens,
): Services {
  let openapi: object | null = null;
  return {
    decisions: engine,
    tokens,
    health: () => ({
      store: database.health(),
      decisions: engine.health(),
      chat: 'not_configured',
      search: 'not_configured',
      embeddings: 'not_configured',
    }),
    openapi: () => (openapi ??= describeApi(list, apiInfo)),
  };
}

const apiInfo = {
  title: 'Nestor',
  version,
  description: 'Decisions with probabilities, grounded answers and any model behind one API.',
  groupVersions: { decisions: '0.1.0' },
};

function toSettings({ family, publicUrl, decisions, aliases, prices }: Config): Settings {
  return {
    version,
    family,
    publicUrl,
    decisions: {
      served: decisions.served,
      inputTokensMax: decisions.maxInputTokens,
      timeoutMs: decisions.timeoutS * 1_000,
      priceUsdPerMillion: inputPriceOf(prices['decisions']) ?? decisionPriceUsdPerMillion,
    },
    aliases,
  };
}

/** A price of the configuration is one number, or numbers by part. */
function inputPriceOf(price: Config['prices'][string] | undefined): number | undefined {
  return typeof price === 'object' ? price['input'] : price;
}

function toUsageRow(record: RequestRecord, billing: Billing, createdAtMs: number): UsageRow {
  const { requestId, operation, status, durationMs, account, key } = record;
  const { model, inputTokens, outputTokens, costParts } = billing;
  return {
    id: requestId,
    requestId,
    accountId: account ?? '',
    keyId: key ?? '',
    operation,
    model,
    inputTokens,
    outputTokens,
    otherUnits: null,
    costParts,
    costUsd: Object.values(costParts).reduce((sum, cost) => sum + cost, 0),
    status,
    durationMs,
    createdAtMs,
  };
}

/** Failures of ours are told with their cause; those of callers are a line like any other. */
function logRecord(
  log: Log,
  { requestId, operation, status, durationMs, account, fault }: RequestRecord,
): void {
  const line = { id: requestId, operation, status, ms: Math.round(durationMs * 1_000) / 1_000, account };
  if (fault !== null && status >= 500)
    log.error({ ...line, fault: fault.code, err: fault.cause ?? fault }, 'request');
  else if (fault === null) log.info(line, 'request');
  else log.info({ ...line, fault: fault.code }, 'request');
}

function toUrl({ address, family, port }: AddressInfo): string {
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
