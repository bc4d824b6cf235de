import { Type, type Static } from 'typebox';
import { Nullable } from '../../../../kernel/kit/schema.ts';
import { Account, Groups, Key, page, Time, usageFilter } from '../account-schema.ts';

const strict = { additionalProperties: false };
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

/** In the response that made it, and nowhere else. */
export const NewKey = Type.Object({ ...Key.properties, secret: Type.String() }, strict);

export const ServerProcess = Type.Object(
  { object: Type.Literal('process'), id: Type.String(), started_at: Time, seen_at: Time },
  strict,
);
export type ServerProcess = Static<typeof ServerProcess>;

export const InAccount = Type.Object({ account_id: Type.String() });
export const InKey = Type.Object({ account_id: Type.String(), key_id: Type.String() });

const filter = { ...usageFilter, account_id: Type.Optional(Type.String()) };
export const UsageQuery = Type.Object({ ...filter, ...page });
export type UsageQuery = Static<typeof UsageQuery>;

export const TotalsQuery = Type.Object({ by: Groups(), ...filter, ...page });

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
