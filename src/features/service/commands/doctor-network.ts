import { connect } from 'node:net';
import type { Config } from '../../../kernel/config.ts';
import { hasFailed, hasWarning, isOk, type Finding } from './doctor-check.ts';

const connectMs = 3_000;
/** So many are tried; who names more has a monitoring of his own. */
const serversMax = 32;

/** Where searches look. Nothing is asked: a query can cost something. */
export function checkSearch({ search }: Config): Finding {
  if (search.engines.length > 0)
    return isOk('search', ['the own index', ...search.engines.map(({ type }) => type)].join(', '));
  return hasWarning(
    'search',
    'only the own index: answers know nothing of the web',
    'Set search.engines, for example a SearXNG of your own; see docs/guide/search.md.',
  );
}

/** Whether the servers that the configuration names can be reached. Nothing is sent to them. */
export async function checkNetwork(config: Config): Promise<readonly Finding[]> {
  const servers = toServers(config).slice(0, serversMax);
  if (servers.length === 0) return [isOk('network', 'the configuration names no server outside')];
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

interface Server {
  /** Of the configuration. */
  readonly key: string;
  readonly url: URL;
}

/** Each host once. Providers of models are looked at with their models. */
function toServers({ decisions, embeddings, search }: Config): readonly Server[] {
  const named = [
    ...decisions.upstreams.map(({ url }) => ({ key: 'decisions.upstreams', text: url })),
    ...decisions.compare
      .flatMap(({ upstreams }) => upstreams)
      .map(({ url }) => ({ key: 'decisions.compare', text: url })),
    ...embeddings.upstreams.map(({ url }) => ({ key: 'embeddings.upstreams', text: url })),
    ...search.engines.map(({ url }) => ({ key: 'search.engines', text: url })),
    ...search.finance.map(({ url }) => ({ key: 'search.finance', text: url })),
  ];
  const servers = named.flatMap(({ key, text }) => {
    const url = URL.parse(text ?? '');
    return url === null ? [] : [{ key, url }];
  });
  return [...new Map(servers.map((server) => [server.url.host, server])).values()];
}

/** Null when it worked. */
function tryToConnect({ hostname, port, protocol }: URL): Promise<string | null> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
    const end = (code: string | null): void => {
      socket.destroy();
      resolve(code);
    };
    socket.setTimeout(connectMs, () => end('no answer'));
    socket.once('connect', () => end(null));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'unknown'));
  });
}
