import { Type } from 'typebox';
import type { FeatureConfig } from '../../kernel/config.ts';
import { suggestNames, toPath } from '../../kernel/config/names.ts';
import {
  entry,
  map,
  nullable,
  oneOf,
  ownKey,
  retentionDays,
  section,
  toggle,
  whole,
} from '../../kernel/config/shape.ts';

/** Groups of operations that take a key; `openapi.test.ts` compares them with the operations. */
const deniable =
  'decisions agent chat async search documents embeddings skills tokens account router mcp'.split(' ');

/** Limits that have a table, by the name of their bucket; `openapi.test.ts` compares them with the operations. */
export const limitNames = (family: string): readonly string[] => [
  ...'account agent_objects agent_qps agent_rpm'.split(' '),
  'async create',
  'async get',
  'async list',
  'batch uploads',
  'batches',
  ...['', '-deep-research', '-pro', '-reasoning-pro'].map((rest) => `chat ${family}${rest}`),
  ...'contextualized-embeddings deciders decisions embeddings index mcp models receipts'.split(' '),
  ...'router_qps router_rpm search skills tokens'.split(' '),
];

const RootKey = entry(
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
    deny: Type.Array(oneOf(deniable, { description: 'A group of operations.' }), {
      default: [],
      description: 'Groups of operations that answer 403 to this key.',
    }),
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

export const accountKeys = {
  admin_key: nullable(ownKey('The key.'), 'Key of the administration; null switches it off.'),
  keys: Type.Array(RootKey, {
    default: [],
    description: 'Root keys. NESTOR_ROOT_KEY adds one for the account "default".',
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
      storage_mb: whole(
        2_048,
        [1, 1_048_576],
        'What the store keeps for one account at most: responses, jobs and skills. Unit: MB.',
      ),
    },
    'Accounts.',
  ),
  ledger: section(
    {
      keep_days: retentionDays(400, 'How long each billed request is kept; sums by day are kept for ever.'),
    },
    'The ledger of usage.',
  ),
};

/** A shorter key is accepted, and can be guessed by somebody who has long enough. Unit: characters. */
const keyCharsWanted = 24;

export const accountConfig: FeatureConfig = {
  keys: accountKeys,
  aliases: { NESTOR_REDIS_URL: 'NESTOR_REDIS' },
  entryVariable: { variable: 'NESTOR_ROOT_KEY', list: 'keys', key: 'key' },
  check({ keys, adminKey }, fail) {
    const firstKeys = new Map<string, number>();
    for (const [index, { key }] of keys.entries()) {
      const first = firstKeys.get(key);
      if (first !== undefined)
        fail(`keys[${index}].key`, `repeats keys[${first}].key; allowed: every key once`);
      firstKeys.set(key, index);
    }
    const same = keys.findIndex(({ key }) => key === adminKey);
    if (same !== -1) fail('admin_key', `is keys[${same}].key as well; allowed: a key of its own`);
  },
  warn({ keys, adminKey, rateLimits, family }, toSource) {
    const own = keys.map(({ key }, at): [string, string] => [`keys[${at}].key`, key]);
    if (adminKey !== null) own.push(['admin_key', adminKey]);
    const short = own
      .filter(([, key]) => key.length < keyCharsWanted)
      .map(([path, { length }]) => {
        return `${toSource(path)}: ${path} has ${length} characters; ${keyCharsWanted} or more cannot be guessed`;
      });
    const known = limitNames(family);
    const unknown = Object.keys(rateLimits.tables).filter((name) => !known.includes(name));
    return [
      ...short,
      ...unknown.map((name) => {
        const path = toPath('rate_limits.tables', name);
        return `${toSource(path)}: ${path} is no limit, so the server does not start; ${suggestNames(name, known)}`;
      }),
    ];
  },
};
