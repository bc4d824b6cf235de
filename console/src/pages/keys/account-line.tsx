import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatUsd } from '../../parts/formats.ts';

export interface OwnAccount {
  readonly id: string;
  readonly name: string;
  readonly credits_purchased_usd: number;
  readonly tier: number;
  /** Of the key that is signed in. */
  readonly key_id: string;
  readonly denied: readonly string[];
}

/** Whose keys these are, and what that account may do. */
export function AccountLine({ account }: { readonly account: OwnAccount }): ReactNode {
  const { id, name, tier, credits_purchased_usd: credits, denied } = account;
  return (
    <Text className="nestor-text">
      Account {name === '' || name === id ? id : `${name} (${id})`}, tier {tier} of 5, {formatUsd(credits)} of
      credits bought.
      {denied.length > 0 && ` The key that is signed in may not use: ${denied.join(', ')}.`}
    </Text>
  );
}
