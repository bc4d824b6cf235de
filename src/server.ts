import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { createAdminCheck } from './features/accounts/admin-key.ts';
import type { Config } from './kernel/config.ts';
import { describeApi } from './kernel/http/openapi.ts';
import { Bodies } from './kernel/http/bodies.ts';
import { createTransport } from './kernel/http/transport.ts';
import { operations, pages } from './operations.ts';
import type { Services } from './kernel/feature.ts';
import { openAgent, type OpenAgent } from './features/agent/open-agent.ts';
import { openChat, type OpenChat } from './features/chat/open-chat.ts';
import { readConsole } from './features/console/files.ts';
import { prepareIndexing } from './features/index/open-index.ts';
import { openIndexAdministration, type OpenIndexAdministration } from './features/index/administration.ts';
import { createAdmit, openLimits } from './features/accounts/limits.ts';
import { openParts, type GivenParts, type OpenParts } from './server/parts.ts';
import { createDrain } from './kernel/http/drain.ts';
import { createReadiness } from './features/service/readiness.ts';
import { openPublished, type Published } from './features/client/published.ts';
import { readDocumentation } from './features/service/documentation.ts';
import { reserveRequestRow } from './features/accounts/ledger/reports.ts';
import { logRecord } from './kernel/http/records.ts';
import { toSettings } from './server/settings.ts';
import { closeTransport, toUrl } from './kernel/http/transport-end.ts';

export interface Server {
  /** The root key that this start made and stored by hash; null when there was one. Shown once, by the caller. */
  readonly newRootKey: string | null;
  readonly engineName: string;
  /** Names of all models that can be asked now. */
  readonly models: () => readonly string[];
  /** Resolves to the address that callers use, for example `http://127.0.0.1:8787`. */
  listen(): Promise<string>;
  /**
   * Stops accepting, gives running requests the grace time, then ends them and closes every part. With `drains`, proxies
   * are told before and have `drain_s` to look elsewhere.
   */
  close(options?: { readonly drains?: boolean }): Promise<void>;
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Opens the parts in order and puts them together. The only place that opens what closes, last opened first. */
export async function openServer(config: Config, given: GivenParts): Promise<Server> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(config, given, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function open(config: Config, given: GivenParts, opened: AsyncDisposableStack): Promise<Server> {
  /** Keeps what closes for the end; takes the promise, so that what opens beside others is kept as well. */
  const keep = async <Part extends { close(): Promise<void> }>(part: Part | Promise<Part>): Promise<Part> => {
    const value = await part;
    opened.defer(() => value.close());
    return value;
  };
  const { log } = given;
  for (const warning of config.warnings) log.warn(warning);
  const parts = await openParts(config, given, keep);
  const { accounts, metrics, clock, ids } = parts;
  metrics?.watchLedger(() => accounts.meter.state());
  const settings = toSettings(version, config);
  const list = operations(settings);
  const limiter = await keep(openLimits(config, { operations: list, database: parts.database, clock, log }));
  const published = await keep(openPublished());
  const chat = await keep(openChat(config, settings, parts, log));
  const agent = await keep(openAgent(config, settings, parts, log));
  const indexing = await keep(prepareIndexing(config, parts, log));
  const index = await keep(openIndexAdministration(indexing.parts(), parts.database, log));
  const drain = createDrain(config.drainS * 1_000, given.wait);
  const readiness = createReadiness({ ...parts, limiter, drain });
  const bodies = await keep(new Bodies({ heapBytes: getHeapStatistics().heap_size_limit }));
  const stopping = new AbortController();
  const app = createTransport(
    [...list, ...pages],
    {
      services: toServices(list, { ...parts, ...chat, ...agent, index, readiness }, published),
      authenticate: accounts.authenticate,
      ...(config.adminKey === null ? {} : { isAdmin: createAdminCheck(config.adminKey) }),
      admit: createAdmit(limiter),
      bodies,
      reserveBilling: () => reserveRequestRow({ meter: accounts.meter, clock }),
      record(record) {
        logRecord(log, record);
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
    engineName: parts.decisions.name,
    models: () => parts.models.list().map(({ id }) => id),
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      const url = toUrl(app.server.address() as AddressInfo);
      published.at(url);
      indexing.start(url);
      return url;
    },
    async close({ drains = false } = {}) {
      if (drains) await drain.run();
      await opened.disposeAsync();
    },
  };
}

interface ServiceParts extends OpenParts, OpenChat, OpenAgent {
  readonly index: OpenIndexAdministration;
  readonly readiness: Services['readiness'];
}

function toServices(
  list: ReturnType<typeof operations>,
  parts: ServiceParts,
  published: Published,
): Services {
  const { database: _database, accounts, metrics: _metrics, ...services } = parts;
  let openapi: object | null = null;
  return {
    ...services,
    published,
    tokens: accounts.tokens,
    administration: accounts.administration,
    storageQuota: accounts.storageQuota,
    documentation: readDocumentation,
    console: readConsole(),
    ledger: () => accounts.meter.state(),
    openapi: () => (openapi ??= describeApi(list, apiInfo)),
  };
}

const apiInfo = {
  title: 'Nestor',
  version,
  description: 'Decisions with probabilities, grounded answers and any model behind one API.',
  groupVersions: { decisions: '0.1.0' },
};
