import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { usageGroups, type UsageGroup } from '../store/usage-totals.ts';

/** Schemas of accounts, keys and usage, for the administration and for an account itself. */

const strict = { additionalProperties: false };
/** Unit: s since the Unix epoch. */
export const Time = Type.Integer();

export const Account = Type.Object(
  {
    object: Type.Literal('account'),
    id: Type.String(),
    name: Type.String(),
    created_at: Time,
    credits_purchased_usd: Type.Number(),
    tier: Type.Integer({ minimum: 0, maximum: 5 }),
    stored_bytes: Type.Integer({
      minimum: 0,
      description: 'What the store keeps for this account: responses, jobs and skills.',
    }),
    storage_quota_bytes: Type.Integer({
      minimum: 0,
      description:
        'What it may keep at most; beyond it requests that would store something are answered with 413.',
    }),
  },
  strict,
);
export type Account = Static<typeof Account>;

export const Key = Type.Object(
  {
    object: Type.Literal('key'),
    id: Type.String(),
    account_id: Type.String(),
    kind: Type.Union([Type.Literal('root'), Type.Literal('token')]),
    name: Type.Union([Type.String(), Type.Null()]),
    last4: Type.String(),
    created_at: Time,
    last_used_at: Type.Union([Time, Type.Null()]),
    revoked_at: Type.Union([Time, Type.Null()]),
  },
  strict,
);
export type Key = Static<typeof Key>;

const Count = Type.Integer({ minimum: 0 });

export const UsageTotal = Type.Object(
  {
    object: Type.Literal('usage_total'),
    account_id: Type.Optional(Type.String()),
    key_id: Type.Optional(Type.String()),
    model: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    operation: Type.Optional(Type.String()),
    day: Type.Optional(Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` })),
    requests: Count,
    input_tokens: Count,
    output_tokens: Count,
    cost_usd: Type.Number({ minimum: 0 }),
  },
  strict,
);
export type UsageTotal = Static<typeof UsageTotal>;

export const UsageRow = Type.Object(
  {
    object: Type.Literal('usage'),
    id: Type.String(),
    request_id: Type.String(),
    account_id: Type.String(),
    key_id: Type.String(),
    operation: Type.String(),
    model: Type.Union([Type.String(), Type.Null()]),
    input_tokens: Count,
    output_tokens: Count,
    other_units: Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()]),
    cost_usd: Type.Number(),
    cost_parts: Type.Record(Type.String(), Type.Number()),
    status: Type.Integer(),
    duration_ms: Type.Number(),
    created_at: Time,
  },
  strict,
);
export type UsageRow = Static<typeof UsageRow>;

/** One page of a list, with the token of the next. */
export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(item),
      next_page_token: Type.Union([Type.String(), Type.Null()]),
    },
    strict,
  );

/** The query parameters that choose a page of a list. */
export const page = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'Items of a page, 100 by default.',
      errorMessage: 'limit must be a whole number from 1 to 1000',
    }),
  ),
  page_token: Type.Optional(
    Type.String({ maxLength: 1_024, description: '`next_page_token` of the page before.' }),
  ),
};
export const PageQuery = Type.Object(page);
export type PageQuery = Static<typeof PageQuery>;

const instant = (name: string, description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 253_402_300_799,
      description: `${description} Unit: s since the Unix epoch.`,
      errorMessage: `${name} must be Unix seconds`,
    }),
  );
/** Filters of usage, shared by the administration and accounts. */
export const usageFilter = {
  from: instant('from', 'First instant that counts.'),
  to: instant('to', 'First instant that no longer counts.'),
  key_id: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
};

export type UsageFilterQuery = Static<TObject<typeof usageFilter>>;

/** The columns that usage is summed by, separated by commas. */
export function Groups(allowed: readonly UsageGroup[] = usageGroups) {
  const group = `(${allowed.join('|')})`;
  const named = `some of ${allowed.join(', ')}, separated by commas`;
  return Type.Optional(
    Type.String({
      pattern: `^${group}(,${group}){0,${allowed.length - 1}}$`,
      description: `What to sum by: ${named}.`,
      errorMessage: `by must be ${named}`,
    }),
  );
}
