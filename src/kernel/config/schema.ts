import { Type, type Static } from 'typebox';
import { Decisions, Embeddings, Provider, Search } from './backends.ts';
import {
  entry,
  map,
  nullable,
  ownKey,
  retentionDays,
  section,
  slug,
  text,
  timeout,
  toggle,
  url,
} from './shape.ts';

export const RootKey = entry(
  {
    key: ownKey('The key: 16 to 256 printable ASCII characters.'),
    account: Type.String({
      pattern: '^[A-Za-z0-9._:@-]{1,128}$',
      allowed: '1 to 128 characters of A-Z, a-z, 0-9 and . _ : @ -',
      default: 'default',
      description: 'Account that the key acts for.',
    }),
    credits_purchased_usd: Type.Number({
      minimum: 0,
      default: 5000,
      description: 'Credits that decide the tier of rate limits: 0, 50, 250, 500, 1000, 5000. Unit: USD.',
    }),
    deny: Type.Array(
      Type.Enum(
        [
          'decisions',
          'agent',
          'chat',
          'async',
          'search',
          'embeddings',
          'skills',
          'tokens',
          'account',
          'router',
          'mcp',
        ],
        {
          description: 'A group of operations.',
        },
      ),
      { default: [], description: 'Groups of operations that answer 403 to this key.' },
    ),
  },
  'A root key and its account.',
);

/** One limit in force for each of the six tiers of contract 5.1; a single number is the same for all. */
const Limit = Type.Array(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Requests.' }), {
  minItems: 6,
  maxItems: 6,
  short: 'everyTier',
  allowed: 'an integer of at least 1, or a list of six (tiers 0 to 5)',
  description: 'A limit, or six limits for the tiers 0 to 5, in the unit of its bucket.',
});

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

const targetPattern = String.raw`^(auto|[a-z][a-z0-9-]{0,31}/\S+)$`;
const targetAllowed = '"auto" or provider/model';

const WeightedTarget = entry(
  {
    model: Type.String({
      pattern: targetPattern,
      allowed: targetAllowed,
      description: '"auto" or provider/model.',
    }),
    weight: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Share of the requests among weighted neighbours.',
    }),
  },
  'A target that shares requests with the weighted targets next to it.',
);

/** What a name of the service runs on: an entry, or several tried in order; weighted neighbours share a place. */
const Targets = Type.Array(
  Type.Union(
    [
      Type.String({
        pattern: targetPattern,
        allowed: targetAllowed,
        description: '"auto" or provider/model.',
      }),
      WeightedTarget,
    ],
    {
      allowed: '"auto", provider/model, or a mapping with "model" and "weight"',
      description: 'A target, or one with its share of the requests.',
    },
  ),
  {
    minItems: 1,
    short: 'one',
    allowed: '"auto", provider/model, or a list of them',
    description: '"auto", provider/model, or a list of them tried in order; entries may carry a weight.',
  },
);

const role = (description: string) =>
  Type.String({
    pattern: String.raw`^[a-z][a-z0-9-]{0,31}/\S+$`,
    allowed: 'provider/model',
    default: 'svc/svc',
    description,
  });

/**
 * The whole configuration: names and nesting as in the file. A key with a default may be left out. Defaults that
 * name `svc` follow `family` (see parse.ts).
 */
export const Settings = section(
  {
    host: Type.String({
      pattern: '^[A-Za-z0-9._:%-]+$',
      allowed: 'an address or a host name',
      default: '127.0.0.1',
      description: 'Address to listen on; 0.0.0.0 or :: for all.',
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 8787,
      description: 'Port to listen on; 0 takes any free one and prints it.',
    }),
    data: text('Folder for the embedded store, the index, files and models.', { default: './data' }),
    database: Type.String({
      pattern: String.raw`^(sqlite(:.+)?|postgres(ql)?://\S+)$`,
      secret: 'password',
      allowed: 'sqlite, sqlite:PATH or postgres://…',
      default: 'sqlite',
      description: 'The store: sqlite (in the data folder), sqlite:PATH or a postgres:// address.',
    }),
    redis: nullable(
      Type.String({
        pattern: String.raw`^rediss?://\S+$`,
        secret: 'password',
        allowed: 'redis://… or rediss://…',
        description: 'redis://…',
      }),
      'redis://… shares rate limits between processes; null keeps them in this one.',
    ),
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
    drain_s: Type.Number({
      minimum: 0,
      maximum: 3600,
      default: 0,
      description:
        'How long everything is still served after SIGTERM, while /readyz answers 503 so that proxies look elsewhere. Unit: s.',
    }),
    shutdown_grace_s: Type.Number({
      minimum: 0,
      maximum: 3600,
      default: 25,
      description: 'How long running requests may finish at shutdown. Unit: s.',
    }),
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
          'Port of the Prometheus metrics; null serves none.',
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
    admin_key: nullable(ownKey('The key.'), 'Key of the administration; null switches it off.'),
    keys: Type.Array(RootKey, {
      default: [],
      description: 'Root keys. NESTOR_ROOT_KEY adds one for the account "default".',
    }),
    rate_limits: section(
      {
        enabled: toggle(true, 'Whether exhausted buckets refuse; the headers are sent anyway.'),
        tables: map(Limit, {
          description: 'Limits by name of the bucket, over the built-in tables: one number, or six by tier.',
        }),
      },
      'Rate limits.',
    ),
    accounts: section(
      {
        storage_mb: Type.Integer({
          minimum: 1,
          maximum: 1_048_576,
          default: 2_048,
          description: 'What the store keeps for one account at most: responses, jobs and skills. Unit: MB.',
        }),
      },
      'Accounts.',
    ),
    prices: map(ItemPrice, {
      description:
        'Prices by item, over the built-in prices: a number, or numbers by part (input, output, …).',
    }),
    providers: Type.Array(Provider, { default: [], description: 'Providers of models.' }),
    detect: toggle(true, 'Look for provider keys, local servers and GGUF files when `providers` is empty.'),
    models: map(Targets, {
      default: { svc: 'auto', 'svc-pro': 'auto', 'svc-reasoning-pro': 'auto', 'svc-deep-research': 'auto' },
      description: "What the service's own names run on; names left out keep their default.",
    }),
    agent: section(
      {
        roles: section(
          {
            fast: role('Model of short tasks.'),
            main: role('Model of ordinary tasks.'),
            deep: role('Model of thorough tasks.'),
          },
          'Models of the presets, as provider/model.',
        ),
        fetch: Type.Union([Type.Literal('any'), Type.Literal('seen')], {
          default: 'any',
          description:
            'Which addresses the agent may read: any, or only those that the user, search results or pages named.',
        }),
        retention_days: retentionDays(30, 'How long stored responses are kept.'),
      },
      'The agent.',
    ),
    chat: section(
      {
        timeout_s: timeout(900, 'Longest duration of a chat completion.'),
        think_preamble: toggle(true, 'Whether reasoning models begin their answer with their reasoning.'),
        lenient_roles: toggle(false, 'Merge neighbouring messages of one role instead of refusing them.'),
        citations: toggle(true, 'Whether replies carry the field `citations`.'),
      },
      'Chat completions.',
    ),
    async: section(
      {
        workers: Type.Integer({
          minimum: 1,
          maximum: 64,
          default: 8,
          description: 'Jobs that run at the same time, at most half of them of one account.',
        }),
        retention_days: retentionDays(7, 'How long jobs and their results are kept.'),
        give_up_after_s: Type.Integer({
          minimum: 1,
          maximum: 604_800,
          default: 3_600,
          description: 'How long a job whose backend is away waits for it before it fails. Unit: s.',
        }),
      },
      'Asynchronous chat completions.',
    ),
    ledger: section(
      {
        keep_days: retentionDays(400, 'How long each billed request is kept; sums by day are kept for ever.'),
      },
      'The ledger of usage.',
    ),
    router: section(
      { lenient: toggle(false, 'Ignore unknown request fields instead of refusing them.') },
      'The router.',
    ),
    skills: section(
      {
        max_per_account: Type.Integer({
          minimum: 0,
          maximum: 100_000,
          default: 100,
          description: 'Skills that an account may keep.',
        }),
      },
      'Skills.',
    ),
    decisions: Decisions,
    embeddings: Embeddings,
    search: Search,
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
    sandbox: section(
      {
        runner: Type.Enum(['auto', 'bubblewrap', 'pyodide', 'off'], {
          default: 'auto',
          description: 'What runs code of the agent. auto takes what works on this machine.',
        }),
      },
      'The sandbox for code.',
    ),
  },
  'Configuration of Nestor. Every key has a default; an empty file is valid.',
);
export type Settings = Static<typeof Settings>;
