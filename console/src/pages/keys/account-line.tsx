import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatUsd } from '../../parts/formats.ts';

export interface OwnAccount {
  readonly id: string;
  readonly name: string;
  readonly credits_purchased_usd: number;
  readonly tier: number;
  readonly stored_bytes: number;
  readonly storage_quota_bytes: number;
  /** Of the key that is signed in. */
  readonly key_id: string;
  readonly denied: readonly string[];
}

function toMegabytes(bytes: number): string {
  return formatCount(Math.ceil(bytes / 1_048_576));
}

interface Props {
  readonly account: OwnAccount;
  /** Whether somebody has set a price, so that credits mean something. */
  readonly withCosts: boolean;
}

/** The account of these keys, and its limits. */
export function AccountLine({ account, withCosts }: Props): ReactNode {
  const { id, name, tier, credits_purchased_usd: credits, denied } = account;
  return (
    <Text className="nestor-text">
      Account {name === '' || name === id ? id : `${name} (${id})`}, tier {tier} of 5,{' '}
      {withCosts && `${formatUsd(credits)} of credits bought, `}
      {toMegabytes(account.stored_bytes)} of {toMegabytes(account.storage_quota_bytes)} MB stored.
      {denied.length > 0 && ` The key that is signed in may not use: ${denied.join(', ')}.`}
    </Text>
  );
}
