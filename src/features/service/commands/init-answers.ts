import { knownLocalServers, knownServices } from '../../models/feature.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

/** What answers chat and, where it can, decisions. */
export type Source =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'server'; readonly name: string; readonly url: string }
  | {
      readonly kind: 'service';
      readonly name: string;
      readonly type: string;
      readonly url: string;
      readonly variable: string;
    };

export interface Address {
  readonly host: string;
  readonly port: number;
}

const accesses = ['one', 'key', 'accounts'] as const;
export type Access = (typeof accesses)[number];

/** Search services with the customary name of their key. */
export const keyedSearches: ReadonlyMap<string, string> = new Map([
  ['brave', 'BRAVE_API_KEY'],
  ['serper', 'SERPER_API_KEY'],
  ['tavily', 'TAVILY_API_KEY'],
  ['exa', 'EXA_API_KEY'],
]);

export type Search =
  | { readonly kind: 'own' }
  | { readonly kind: 'open' }
  | { readonly kind: 'searxng'; readonly url: string }
  | { readonly kind: 'keyed'; readonly type: string; readonly variable: string };

const stores = ['sqlite', 'postgres'] as const;
export type Store = (typeof stores)[number];

export interface Answers {
  readonly source: Source;
  readonly listen: Address;
  readonly access: Access;
  readonly search: Search;
  readonly store: Store;
}

/** `built-in`, a path of a GGUF file, the name of a service or of a server of this machine, or an address. */
export function parseSource(given: string): Source {
  if (given === 'built-in') return { kind: 'built-in' };
  if (given.endsWith('.gguf')) return { kind: 'file', path: given };
  const local = knownLocalServers.find(({ name }) => name === given);
  if (local !== undefined)
    return { kind: 'server', name: local.name, url: `http://127.0.0.1:${local.port}/v1` };
  const service = knownServices.find(({ name }) => name === given);
  const [variable] = service?.variables ?? [];
  if (service !== undefined && variable !== undefined)
    return { kind: 'service', name: service.name, type: service.type, url: service.baseUrl, variable };
  if (isHttp(given)) return { kind: 'server', name: 'server', url: given };
  const names = [...knownLocalServers, ...knownServices].map(({ name }) => name).join(', ');
  throw new UsageError(
    `"${given}" answers nothing: there are built-in, a path that ends in .gguf, an address that begins with http, and ${names}.`,
  );
}

/** `HOST:PORT`, `[::]:PORT` or a port of this machine. */
export function parseAddress(given: string): Address {
  const [, host = '127.0.0.1', digits = ''] =
    /^(?:(\[[0-9a-f:]{2,45}\]|[\w.-]{1,253}):)?(\d{1,5})$/i.exec(given) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw new UsageError(`"${given}" is no address: write HOST:PORT, as 127.0.0.1:8787 or 0.0.0.0:8787.`);
  return { host: host.replaceAll(/[[\]]/g, ''), port };
}

export const parseAccess = oneOf('access', accesses);
export const parseStore = oneOf('store', stores);

/** `own`, `open`, the name of a service with a key, or the address of a SearXNG. */
export function parseSearch(given: string): Search {
  if (given === 'own' || given === 'open') return { kind: given };
  const variable = keyedSearches.get(given);
  if (variable !== undefined) return { kind: 'keyed', type: given, variable };
  if (isHttp(given)) return { kind: 'searxng', url: given };
  const names = ['own', 'open', ...keyedSearches.keys()].join(', ');
  throw new UsageError(`"${given}" finds nothing: there are ${names}, and the address of a SearXNG.`);
}

function oneOf<const Name extends string>(what: string, names: readonly Name[]) {
  return (given: string): Name => {
    const found = names.find((name) => name === given);
    if (found === undefined) throw new UsageError(`"${given}" is no ${what}: there are ${names.join(', ')}.`);
    return found;
  };
}

const isHttp = (given: string): boolean => /^https?:$/.test(URL.parse(given)?.protocol ?? '');
