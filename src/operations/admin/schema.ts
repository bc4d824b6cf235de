import { Type, type Static, type TSchema } from 'typebox';
import { Nullable } from '../../kit/schema.ts';

const strict = { additionalProperties: false };
/** Unit: s since the Unix epoch. */
const Time = Type.Integer();
const amountMaxUsd = 1e9;

const AccountId = Type.String({
  pattern: '^[A-Za-z0-9._:@-]{1,128}$',
  errorMessage: 'an account id is 1 to 128 characters of A-Z, a-z, 0-9 and . _ : @ -',
});
const Name = Type.String({
  minLength: 1,
  maxLength: 128,
  errorMessage: 'name must be a string of 1 to 128 characters',
});

export const Account = Type.Object(
  {
    object: Type.Literal('account'),
    id: Type.String(),
    name: Type.String(),
    created_at: Time,
    credits_purchased_usd: Type.Number(),
    tier: Type.Integer({ minimum: 0, maximum: 5 }),
  },
  strict,
);
export type Account = Static<typeof Account>;

export const Purchase = Type.Object(
  {
    object: Type.Literal('purchase'),
    id: Type.String(),
    account_id: Type.String(),
    amount_usd: Type.Number(),
    note: Type.String(),
    created_at: Time,
  },
  strict,
);
export type Purchase = Static<typeof Purchase>;

/** A purchase as it is booked, with the account as it is afterwards. */
export const BookedPurchase = Type.Object({ ...Purchase.properties, account: Account }, strict);

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

/** In the response that made it, and nowhere else. */
export const NewKey = Type.Object({ ...Key.properties, secret: Type.String() }, strict);

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

export const ServerProcess = Type.Object(
  { object: Type.Literal('process'), id: Type.String(), started_at: Time, seen_at: Time },
  strict,
);
export type ServerProcess = Static<typeof ServerProcess>;

/** A part of a list, and what continues it. */
export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(item),
      next_page_token: Type.Union([Type.String(), Type.Null()]),
    },
    strict,
  );

export const InAccount = Type.Object({ account_id: Type.String() });
export const InKey = Type.Object({ account_id: Type.String(), key_id: Type.String() });

const page = {
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

const instant = (name: string, description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 253_402_300_799,
      description: `${description} Unit: s since the Unix epoch.`,
      errorMessage: `${name} must be Unix seconds`,
    }),
  );
const filter = {
  from: instant('from', 'First instant that counts.'),
  to: instant('to', 'First instant that no longer counts.'),
  account_id: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
};
export const UsageQuery = Type.Object({ ...filter, ...page });
export type UsageQuery = Static<typeof UsageQuery>;

const group = '(account|key|model|operation|day)';
export const TotalsQuery = Type.Object({
  by: Type.Optional(
    Type.String({
      pattern: `^${group}(,${group}){0,4}$`,
      description: 'What to sum by: some of account, key, model, operation, day, separated by commas.',
      errorMessage: 'by must be some of account, key, model, operation, day, separated by commas',
    }),
  ),
  ...filter,
  ...page,
});

export const CreateAccountRequest = Type.Object({ id: Nullable(AccountId), name: Nullable(Name) }, strict);
export const UpdateAccountRequest = Type.Object({ name: Name }, strict);
export const CreatePurchaseRequest = Type.Object(
  {
    purchase_id: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Chosen by you: a purchase that is sent again counts once.',
      errorMessage: 'purchase_id must be a string of 1 to 256 characters',
    }),
    amount_usd: Type.Number({
      minimum: 0.01,
      maximum: amountMaxUsd,
      errorMessage: 'amount_usd must be a number from 0.01 to 1000000000',
    }),
    note: Nullable(Type.String({ maxLength: 1_000 }), {
      errorMessage: 'note must be a string of at most 1000 characters',
    }),
  },
  strict,
);
export const CreateKeyRequest = Type.Object({ name: Nullable(Name) }, strict);
