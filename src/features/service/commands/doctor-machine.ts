import { accessSync, constants, existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { hasFailed, hasWarning, isOk, type Finding } from './doctor-check.ts';

const oldestNode = 24;
const usualNode = 26;
const gibibyte = 2 ** 30;
const freeBytesMin = gibibyte / 4;
const freeBytesWanted = 2 * gibibyte;
const connectMs = 3_000;
/** More than all figures of a server take. */
const figuresCharsMax = 2 ** 20;

export function checkRuntime(versions: { readonly node: string }, platform: string): Finding {
  const major = Number(versions.node.split('.')[0]);
  const found = `Node ${versions.node} on ${platform}`;
  if (major < oldestNode)
    return hasFailed('runtime', found, `Nestor needs Node ${oldestNode} or newer; npm install brings one.`);
  if (major >= usualNode) return isOk('runtime', found);
  const advice = `Tests run on Node ${usualNode}; npm run nestor uses the one that is installed.`;
  return hasWarning('runtime', found, advice);
}

/** The folder that the server writes to, or the nearest one above it that exists. */
export function checkDataFolder({ dataFolder }: Config): Finding {
  const nearest = toExisting(dataFolder);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    const advice = 'Give it to the user that runs Nestor, or set NESTOR_DATA.';
    return hasFailed('data folder', `${nearest} cannot be written`, advice);
  }
  const found = nearest === dataFolder ? dataFolder : `${dataFolder} is made at the first start`;
  return isOk('data folder', found);
}

export async function checkDisk({ dataFolder }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(toExisting(dataFolder));
  const free = bavail * bsize;
  const message = `${(free / gibibyte).toFixed(1)} GiB free`;
  const advice = 'Make room, or set NESTOR_DATA to a larger disk: a full disk stops every write.';
  if (free < freeBytesMin) return hasFailed('disk', message, advice);
  return free < freeBytesWanted ? hasWarning('disk', message, advice) : isOk('disk', message);
}

function toExisting(folder: string): string {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  return nearest;
}

interface Port {
  readonly name: string;
  readonly port: number;
  readonly variable: string;
  /** Whether a Nestor of this configuration has it, where it is taken. */
  readonly isOurs: () => boolean | Promise<boolean>;
}

/** Whether a server could listen on its ports now. `isOurs`: a Nestor was found to answer at the first. */
export function checkPorts({ host, port, metrics }: Config, isOurs: boolean): Promise<readonly Finding[]> {
  const ports: Port[] = [{ name: 'port', port, variable: 'NESTOR_PORT', isOurs: () => isOurs }];
  const { port: second } = metrics;
  if (second !== null)
    ports.push({
      name: 'metrics.port',
      port: second,
      variable: 'NESTOR_METRICS_PORT',
      // The server may run without metrics, and another program beside it.
      isOurs: () => isOurs && tellsFigures(host, second),
    });
  return Promise.all(ports.map((one) => checkPort(one, host)));
}

async function checkPort({ name, port, variable, isOurs }: Port, host: string): Promise<Finding> {
  const place = `${host}:${port}`;
  if (port === 0) return isOk(name, 'any free one');
  const code = await tryToListen(host, port);
  if (code === null) return isOk(name, `${place} is free`);
  if (code === 'EADDRINUSE') {
    if (await isOurs()) return isOk(name, `${place} is served by Nestor`);
    const advice = `Stop it, or set ${variable} to another port.`;
    return hasFailed(name, `${place} is taken by another program`, advice);
  }
  const advice =
    code === 'EACCES'
      ? `Ports below 1024 need rights; set ${variable} to a higher one and put a reverse proxy in front.`
      : 'Set NESTOR_HOST to an address of this machine: 127.0.0.1, or 0.0.0.0 for all.';
  return hasFailed(name, `${place} cannot be opened (${code})`, advice);
}

/** Whether the figures of a Nestor are told there. */
async function tellsFigures(host: string, port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(connectMs);
  let text = '';
  try {
    const { body } = await fetch(`${toUrl({ host, port })}/metrics`, { redirect: 'manual', signal });
    if (body === null) return false;
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.length > figuresCharsMax) break;
    }
  } catch {
    return false;
  }
  return /^# HELP nestor_/m.test(text);
}

/** Where a server that listens there is reached from this machine. */
export function toUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Null when it worked. */
function tryToListen(host: string, port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const server = createServer();
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  return promise;
}

export const localHosts = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

export function checkExposure({ host, publicUrl }: Config): Finding {
  if (localHosts.test(host)) return isOk('exposure', `only this machine reaches it (${host})`);
  if (publicUrl?.startsWith('https:') === true) return isOk('exposure', `${host}, as ${publicUrl}`);
  return hasWarning(
    'exposure',
    `other machines reach it without encryption (${host})`,
    'Put a reverse proxy with TLS in front and set NESTOR_PUBLIC_URL, or set NESTOR_HOST to 127.0.0.1.',
  );
}

/** Most servers that are tried. */
const serversMax = 32;

/** Where searches look. */
export function checkSearch({ search }: Config): Finding {
  if (search.engines.length > 0)
    return isOk('search', ['the own index', ...search.engines.map(({ type }) => type)].join(', '));
  return hasWarning(
    'search',
    'only the own index: answers know nothing of the web',
    'Set search.engines, for example a SearXNG of your own; see docs/guide/search.md.',
  );
}

/** Whether the sources of figures that the configuration names can be reached. Nothing is sent to them: a call can cost something. */
export async function checkNetwork(config: Config): Promise<readonly Finding[]> {
  const servers = toServers(config).slice(0, serversMax);
  if (servers.length === 0) return [];
  const codes = await Promise.all(servers.map(({ url }) => tryToConnect(url)));
  const failed = servers.flatMap(({ key, url }, at) => {
    const code = codes[at] ?? null;
    if (code === null) return [];
    const advice = `Check ${key}, that the server runs, and that a firewall lets this machine through.`;
    return [hasFailed('network', `${url.host} cannot be reached (${code})`, advice)];
  });
  if (failed.length > 0) return failed;
  return [isOk('network', `${servers.map(({ url }) => url.host).join(', ')} can be reached`)];
}

/** Each host once, with its key of the configuration. All others are asked something. */
function toServers({ search }: Config) {
  const servers = search.finance.flatMap(({ url }) => {
    const parsed = URL.parse(url ?? '');
    return parsed === null ? [] : [{ key: 'search.finance', url: parsed }];
  });
  return [...new Map(servers.map((server) => [server.url.host, server])).values()];
}

/** Null when it worked. */
function tryToConnect({ hostname, port, protocol }: URL): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  socket.setTimeout(connectMs, () => resolve('no answer'));
  socket.once('connect', () => resolve(null));
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  return promise.finally(() => socket.destroy());
}
