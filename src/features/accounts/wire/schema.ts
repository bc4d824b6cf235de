import { Type, type Static, type TSchema } from 'typebox';
import { Count, Dictionary, Nullable, orNull, Strict } from '../../../kernel/kit/schema.ts';
import { usageGroups, type UsageGroup } from '../store/usage-totals.ts';

/** Schemas of accounts, keys and usage, for the administration and for an account itself. */

/** Unit: s since the Unix epoch. */
export const Time = Type.Integer();

export const Account = Strict({
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
});
export type Account = Static<typeof Account>;

export const Key = Strict({
  object: Type.Literal('key'),
  id: Type.String(),
  account_id: Type.String(),
  kind: Type.Union([Type.Literal('root'), Type.Literal('token')]),
  name: orNull(Type.String()),
  last4: Type.String(),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull(Time),
});
export type Key = Static<typeof Key>;

export const UsageTotal = Strict({
  object: Type.Literal('usage_total'),
  account_id: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  model: Type.Optional(orNull(Type.String())),
  operation: Type.Optional(Type.String()),
  day: Type.Optional(Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` })),
  requests: Count,
  input_tokens: Count,
  output_tokens: Count,
  cost_usd: Type.Number({ minimum: 0 }),
  p50_ms: Type.Optional(
    orNull(
      Type.Number({
        minimum: 0,
        description:
          'Half of the requests took no longer, as an estimate from counts in steps of 1, 2, 5, 10 and so on, up to 100,000 ms. With `durations` only; null for days of which no durations are known.',
      }),
    ),
  ),
  p95_ms: Type.Optional(orNull(Type.Number({ minimum: 0, description: 'The same for 95 of 100 requests.' }))),
});
export type UsageTotal = Static<typeof UsageTotal>;

export const UsageRow = Strict({
  object: Type.Literal('usage'),
  id: Type.String(),
  request_id: Type.String(),
  account_id: Type.String(),
  key_id: Type.String(),
  operation: Type.String(),
  model: orNull(Type.String()),
  input_tokens: Count,
  output_tokens: Count,
  other_units: orNull(Dictionary(Type.Number())),
  cost_usd: Type.Number(),
  cost_parts: Dictionary(Type.Number()),
  status: Type.Integer(),
  duration_ms: Type.Number(),
  created_at: Time,
});
export type UsageRow = Static<typeof UsageRow>;

/** One page of a list, with the token of the next. */
export const listOf = <Item extends TSchema>(item: Item) =>
  Strict({
    object: Type.Literal('list'),
    data: Type.Array(item),
    next_page_token: orNull(Type.String()),
  });

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
const usageFilter = {
  from: instant('from', 'First instant that counts.'),
  to: instant('to', 'First instant that no longer counts.'),
  key_id: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
};

/** The columns that usage is summed by, separated by commas. */
function Groups(allowed: readonly UsageGroup[] = usageGroups) {
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

export const OwnUsageQuery = Type.Object({ ...usageFilter, ...page });
const durations = Type.Optional(
  Type.Boolean({
    description: 'Whether each sum tells `p50_ms` and `p95_ms`: how long its requests took.',
    errorMessage: 'durations must be true or false',
  }),
);
export const OwnTotalsQuery = Type.Object({
  by: Groups(usageGroups.filter((group) => group !== 'account')),
  durations,
  ...usageFilter,
  ...page,
});

const anyAccount = { ...usageFilter, account_id: Type.Optional(Type.String()) };
export const UsageQuery = Type.Object({ ...anyAccount, ...page });
export type UsageQuery = Static<typeof UsageQuery>;
export const TotalsQuery = Type.Object({ by: Groups(), durations, ...anyAccount, ...page });
export type TotalsQuery = Static<typeof TotalsQuery>;

export const KeyPath = Type.Object({ key_id: Type.String() });

/** The account of the key that asks, and what is to be known of that key. */
export const OwnAccount = Strict({
  ...Account.properties,
  key_id: Type.String({ description: 'Id of the key of this request, as in the lists and the ledger.' }),
  denied: Type.Array(Type.String(), { description: 'Groups of operations that answer 403 to this key.' }),
});

const AccountId = Type.String({
  pattern: '^[A-Za-z0-9._:@-]{1,128}$',
  errorMessage: 'an account id is 1 to 128 characters of A-Z, a-z, 0-9 and . _ : @ -',
});
const Name = Type.String({
  minLength: 1,
  maxLength: 128,
  errorMessage: 'name must be a string of 1 to 128 characters',
});

export const Purchase = Strict({
  object: Type.Literal('purchase'),
  id: Type.String(),
  account_id: Type.String(),
  amount_usd: Type.Number(),
  note: Type.String(),
  created_at: Time,
});
export type Purchase = Static<typeof Purchase>;

/** A purchase as it is booked, with the account as it is afterwards. */
export const BookedPurchase = Strict({ ...Purchase.properties, account: Account });

/** In the response that made it, and nowhere else. */
export const NewKey = Strict({ ...Key.properties, secret: Type.String() });

export const ServerProcess = Strict({
  object: Type.Literal('process'),
  id: Type.String(),
  started_at: Time,
  seen_at: Time,
});
export type ServerProcess = Static<typeof ServerProcess>;

export const InAccount = Type.Object({ account_id: Type.String() });
export const InKey = Type.Object({ account_id: Type.String(), key_id: Type.String() });

export const DeleteAccountQuery = Type.Object({
  ledger: Type.Optional(
    Type.Boolean({
      description: 'Whether its rows and sums in the ledger go too. They stay by default.',
      errorMessage: 'ledger must be true or false',
    }),
  ),
});
export const DeletedAccount = Strict({
  object: Type.Literal('account.deleted'),
  id: Type.String(),
  deleted: Type.Boolean({
    description: 'False while some of it is still being removed, which the servers go on with.',
  }),
});

export const CreateAccountRequest = Strict({ id: Nullable(AccountId), name: Nullable(Name) });
export const UpdateAccountRequest = Strict({ name: Name });
export const CreatePurchaseRequest = Strict({
  purchase_id: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Chosen by you: a purchase that is sent again counts once.',
    errorMessage: 'purchase_id must be a string of 1 to 256 characters',
  }),
  amount_usd: Type.Number({
    minimum: 0.01,
    maximum: 1e9,
    errorMessage: 'amount_usd must be a number from 0.01 to 1000000000',
  }),
  note: Nullable(Type.String({ maxLength: 1_000 }), {
    errorMessage: 'note must be a string of at most 1000 characters',
  }),
});
export const CreateKeyRequest = Strict({ name: Nullable(Name) });
