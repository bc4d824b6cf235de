import { Type, type Static } from 'typebox';
import { usageGroups } from '../../store/usage-totals.ts';
import { Account, Groups, page, usageFilter } from '../account-schema.ts';

const strict = { additionalProperties: false };

/** The account of the key that asks, and what is to be known of that key. */
export const OwnAccount = Type.Object(
  {
    ...Account.properties,
    key_id: Type.String({ description: 'Id of the key of this request, as in the lists and the ledger.' }),
    denied: Type.Array(Type.String(), { description: 'Groups of operations that answer 403 to this key.' }),
  },
  strict,
);
export type OwnAccount = Static<typeof OwnAccount>;

export const KeyPath = Type.Object({ key_id: Type.String() });

export const UsageQuery = Type.Object({ ...usageFilter, ...page });

const ownGroups = usageGroups.filter((group) => group !== 'account');
export const TotalsQuery = Type.Object({ by: Groups(ownGroups), ...usageFilter, ...page });
