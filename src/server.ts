import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createLimiter } from './accounts/limiter.ts';
import { openAccounts } from './accounts/open-accounts.ts';
import type { Tokens } from './accounts/tokens.ts';
import type { Config } from './config.ts';
import type { DecisionEngine } from './decisions/engine.ts';
import { describeApi } from './http/openapi.ts';
import type { Metrics } from './http/metrics.ts';
import type { PipelineParts } from './http/pipeline.ts';
import { createTransport } from './http/transport.ts';
import { systemClock, type Clock } from './kit/clock.ts';
import { randomIds, type Ids } from './kit/ids.ts';
import type { Log } from './kit/log.ts';
import { operations } from './operations/index.ts';
import type { Services } from './operations/services.ts';
import { openDecisions } from './server/decisions.ts';
import { logRecord, toUsageRow } from './server/records.ts';
import { toSettings } from './server/settings.ts';
import { closeTransport, toUrl } from './server/transport-end.ts';
import { withoutEffect } from './server/without-effect.ts';
import { openDatabase, type Database } from './storage/database.ts';

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

/** Opens the parts in order and puts them together. The only place that opens what closes, last opened first. */
export async function openServer(config: Config, parts: ServerParts): Promise<Server> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(config, parts, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function open(config: Config, parts: ServerParts, opened: AsyncDisposableStack): Promise<Server> {
  const { log, clock = systemClock, ids = randomIds } = parts;
  /** Keeps what closes for the end; takes the promise, so that what opens beside others is kept as well. */
  const keep = async <Part extends { close(): Promise<void> }>(part: Part | Promise<Part>): Promise<Part> => {
    const value = await part;
    opened.defer(() => value.close());
    return value;
  };
  const metrics =
    config.metrics.port === null ? null : await keep(openMetrics(config.host, config.metrics.port));
  const [database, engine] = await allOf(
    keep(openDatabase(config.database, { dataFolder: config.dataFolder })),
    keep(parts.decisions ?? openDecisions(config, log, (mass) => metrics?.labelMass(mass))),
  );
  const accounts = await keep(
    openAccounts({
      database,
      dataFolder: config.dataFolder,
      configuredKeys: config.keys,
      family: config.family,
      clock,
      ids,
      onMeterError: (error) => log.error({ err: error }, 'the ledger cannot be written'),
    }),
  );
  for (const name of withoutEffect(config)) log.warn(`${name}: accepted, but has no effect in this version`);
  const list = operations(toSettings(version, config));
  const services = createServices(list, { database, decisions: engine, tokens: accounts.tokens });
  const stopping = new AbortController();
  const app = createTransport(
    list,
    {
      services,
      authenticate: accounts.authenticate,
      admit: createAdmit(config, clock),
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
  opened.defer(() => closeTransport(app, stopping, config.shutdownGraceS * 1_000));
  return {
    newRootKey: accounts.newRootKey,
    engineName: engine.name,
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      return toUrl(app.server.address() as AddressInfo);
    },
    close: () => opened.disposeAsync(),
  };
}

function createAdmit({ rateLimits }: Config, clock: Clock): PipelineParts<Services>['admit'] {
  const limiter = createLimiter({ clock, enabled: rateLimits.enabled, overrides: rateLimits.tables });
  return (buckets, { principal, address }) =>
    limiter.take(buckets, principal?.accountId ?? address, principal?.tier ?? 0);
}

/** Waits for all, also when one fails: what opened beside it has to be kept before everything is closed. */
async function allOf<Parts extends readonly Promise<unknown>[]>(
  ...parts: Parts
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

async function openMetrics(host: string, port: number): Promise<Metrics> {
  const module = await import('./http/metrics.ts');
  return module.openMetrics(host, port);
}

interface OpenParts {
  readonly database: Database;
  readonly decisions: DecisionEngine;
  readonly tokens: Tokens;
}

function createServices(list: ReturnType<typeof operations>, { database, ...parts }: OpenParts): Services {
  let openapi: object | null = null;
  return {
    ...parts,
    health: () => ({
      store: database.health(),
      decisions: parts.decisions.health(),
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
