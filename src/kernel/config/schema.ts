import { Type, type Static } from 'typebox';
import type { Camel } from './names.ts';
import { duration, map, nullable, section, slug, text, toggle, url, whole } from './shape.ts';

const amount = (description: string) => Type.Number({ minimum: 0, description });
const ItemPrice = Type.Union(
  [
    amount('Price of one unit. Unit: USD.'),
    Type.Record(Type.String(), amount('Price of this part. Unit: USD.'), { description: 'Prices by part.' }),
  ],
  {
    allowed: 'a number of at least 0, or a mapping of such numbers',
    description: 'Price of the item. Unit: USD.',
  },
);

/**
 * Keys of the kernel, named as in the file; features declare theirs in `config.ts`. Defaults that name `svc` follow
 * `family` (see parse.ts).
 */
export const kernelKeys = {
  host: Type.String({
    pattern: '^[A-Za-z0-9._:%-]+$',
    allowed: 'an address or a host name',
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 or :: for all.',
  }),
  port: whole(8787, [0, 65_535], 'Port to listen on; 0 takes any free one and prints it.'),
  data: text('Folder for the embedded store, the index, files and models.', { default: './data' }),
  database: Type.String({
    pattern: String.raw`^(sqlite(:.+)?|postgres(ql)?://\S+)$`,
    secret: 'password',
    allowed: 'sqlite, sqlite:PATH or postgres://…',
    default: 'sqlite',
    description: 'The store: sqlite (in the data folder), sqlite:PATH or a postgres:// address.',
  }),
  public_url: nullable(
    url('http:// or https:// URL.'),
    "Address under which clients reach this server; null takes the request's origin.",
  ),
  family: slug('Name that replaces `svc` in model names, paths and tokens.', { default: 'svc' }),
  aliases: section(
    {
      upstream: toggle(true, 'Whether the built-in alternative model names are accepted.'),
      models: map(text('The name it stands for.'), {
        description: 'Further model names and the canonical names that they stand for.',
      }),
    },
    'Alternative model names.',
  ),
  drain_s: duration(
    0,
    3600,
    'How long everything is still served after SIGTERM, while /readyz answers 503 so that proxies look elsewhere.',
  ),
  shutdown_grace_s: duration(25, 3600, 'How long running requests may finish at shutdown.'),
  log: section(
    {
      level: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        default: 'info',
        description: 'Least severity that is logged.',
      }),
      format: Type.Enum(['auto', 'pretty', 'json'], {
        default: 'auto',
        description: 'auto is pretty on a terminal and JSON otherwise.',
      }),
    },
    'The log.',
  ),
  metrics: section(
    {
      port: nullable(
        Type.Integer({ minimum: 0, maximum: 65_535, description: 'Port.' }),
        'Port of the Prometheus metrics; 0 takes any free one and prints it, null serves none.',
      ),
    },
    'Metrics.',
  ),
  cors: section(
    {
      origins: Type.Array(
        Type.String({
          pattern: String.raw`^(\*|[a-z][a-z0-9+.-]*://[^\s/?#@]+)$`,
          check: 'origin',
          allowed: '"*" or an origin such as https://app.example (lower case, no path, no default port)',
          description: 'An origin or "*".',
        }),
        {
          default: [],
          description: 'Origins of web pages that may call this server; empty switches CORS off.',
        },
      ),
    },
    'Calls from web pages of other origins.',
  ),
  prices: map(ItemPrice, {
    description: 'Prices by item, over the built-in prices: a number, or numbers by part (input, output, …).',
  }),
  outbound: section(
    {
      allow_hosts: Type.Array(
        Type.String({
          pattern: String.raw`^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?$`,
          allowed: 'host or host:port ([address]:port for IPv6)',
          description: 'host or host:port.',
        }),
        {
          default: [],
          description: 'Hosts that the address guard lets through although they are private.',
        },
      ),
      user_agent: Type.String({
        pattern: '^[ -~]+$',
        allowed: 'printable ASCII characters',
        default: 'Nestor',
        description: 'User agent of outgoing requests.',
      }),
    },
    'Outgoing requests to pages.',
  ),
};

type Ports = Camel<{ [Name in 'port' | 'metrics']: Static<(typeof kernelKeys)[Name]> }>;

/** Rules between keys of the kernel. `fail` throws a ConfigError. */
export function checkKernelKeys({ port, metrics }: Ports, fail: (path: string, rest: string) => never): void {
  if (metrics.port === port && port !== 0)
    fail('metrics.port', `is ${port}, as port; allowed: a port of its own`);
}

/** Aliases for keys that would be unclear in a shared environment. */
export const kernelAliases = { NESTOR_DATABASE_URL: 'NESTOR_DATABASE' };
