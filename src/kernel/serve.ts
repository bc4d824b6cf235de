import type { AddressInfo } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { Config } from './config.ts';
import {
  featuresFor,
  openFeatures,
  operationsOf,
  type Feature,
  type Overrides,
  type Services,
} from './feature.ts';
import { Bodies } from './http/bodies.ts';
import { toListenError } from './http/listen-error.ts';
import type { RequestRecord } from './http/request-record.ts';
import { createTransport } from './http/transport.ts';
import { closeTransport, toUrl } from './http/transport-end.ts';
import type { Log } from './kit/log.ts';
import { openKernel, type Keep } from './open-kernel.ts';
import { toSettings } from './settings.ts';

export interface Server {
  readonly services: Services;
  /** Where metrics are served; null without a port for them. */
  readonly metricsUrl: string | null;
  /** Resolves to the address, such as `http://127.0.0.1:8787`. */
  listen(): Promise<string>;
  /**
   * Stops accepting, gives running requests the grace time, ends them and closes every feature. With `drains`, waits
   * `drain_s` first for proxies to notice.
   */
  close(options?: { readonly drains?: boolean }): Promise<void>;
}

/** Opens features behind one port, and closes them in reverse. */
export async function openServer(
  features: readonly Feature[],
  config: Config,
  overrides: Overrides,
): Promise<Server> {
  for (const warning of config.warnings) overrides.log.warn(warning);
  return opening((keep, opened) => open(features, config, overrides, keep, opened));
}

/** Opens some services and what they need, without a port, for a process beside the server. */
export async function openServices(
  features: readonly Feature[],
  wanted: readonly (keyof Services)[],
  config: Config,
  overrides: Overrides,
): Promise<Services & { close(): Promise<void> }> {
  return opening(async (keep, opened) => {
    const settings = toSettings(features, config);
    const kernel = await openKernel(config, overrides, keep, { isServer: false });
    const operations = operationsOf(features, settings);
    const context = { config, settings, kernel, operations, overrides, keep, onListening: () => {} };
    const services = await openFeatures(featuresFor(features, wanted), context);
    return { ...services, close: () => opened.disposeAsync() };
  });
}

/** Closes what is open when opening the rest fails. */
async function opening<Opened>(
  open: (keep: Keep, opened: AsyncDisposableStack) => Promise<Opened>,
): Promise<Opened> {
  const opened = new AsyncDisposableStack();
  const keep: Keep = async (part) => {
    const value = await part;
    opened.defer(() => value.close());
    return value;
  };
  try {
    return await open(keep, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/**
 * Connections that may wait to be accepted; the system takes the lower of this and its own bound (`net.core.somaxconn`).
 * A turn of the event loop accepts one, so a busy server has many waiting. Over Node's default of 511 Linux let clients believe they
 * were connected and reset them up to two minutes later.
 */
const backlogMax = 65_535;

async function open(
  features: readonly Feature[],
  config: Config,
  overrides: Overrides,
  keep: Keep,
  opened: AsyncDisposableStack,
): Promise<Server> {
  const settings = toSettings(features, config);
  const operations = operationsOf(features, settings);
  const pages = features.flatMap((feature) => feature.pages ?? []);
  const kernel = await openKernel(config, overrides, keep, { isServer: true });
  const { log, clock, ids, metrics, drain } = kernel;
  const listening: ((url: string) => void)[] = [];
  const onListening = (call: (url: string) => void) => void listening.push(call);
  const context = { config, settings, kernel, operations, overrides, keep, onListening };
  const services = await openFeatures(features, context);
  const bodies = await keep(new Bodies({ heapBytes: getHeapStatistics().heap_size_limit }));
  const stopping = new AbortController();
  const app = createTransport(
    [...operations, ...pages],
    {
      ...services.gate,
      services,
      bodies,
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
    services,
    metricsUrl: metrics?.url ?? null,
    async listen() {
      const { host, port } = config;
      await app.listen({ host, port, backlog: backlogMax }).catch((error: unknown) => {
        throw toListenError(error, { host, port, variable: 'NESTOR_PORT' });
      });
      const url = toUrl(app.server.address() as AddressInfo);
      for (const call of listening) call(url);
      return url;
    },
    async close({ drains = false } = {}) {
      if (drains) await drain.run();
      await opened.disposeAsync();
    },
  };
}

/** Logs a request; only failures of the server with their cause. */
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
