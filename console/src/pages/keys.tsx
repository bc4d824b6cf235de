import { Stack, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCall, useList } from '../api/use-call.ts';
import { usePrices } from '../api/use-prices.ts';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { AccountLine, type OwnAccount } from './keys/account-line.tsx';
import { KeyTable, type Key } from './keys/key-table.tsx';
import { NewToken } from './keys/new-token.tsx';

/** Keys and tokens of the account: made, shown once, revoked. */
export function KeysPage(): ReactNode {
  const { api } = useSession();
  const withCosts = usePrices(api);
  const account = useCall<OwnAccount>(api, { path: '/v1/account' });
  const keys = useList<Key>(api, { path: '/v1/account/keys' });
  const [failure, setFailure] = useState<unknown>(null);
  const revoke = async (id: string): Promise<void> => {
    setFailure(null);
    try {
      await api.call({ method: 'DELETE', path: `/v1/account/keys/${encodeURIComponent(id)}` });
    } catch (error) {
      setFailure(error);
    }
    keys.reload();
  };
  return (
    <Page
      title="Keys"
      about="Give each program a token of its own: it can be revoked without touching the others. All keys of an account share its limits."
    >
      <Failure of={account.failure ?? keys.failure ?? failure} />
      {account.body !== null && <AccountLine account={account.body} withCosts={withCosts} />}
      <NewToken onMade={keys.reload} />
      <Stack gap="xs">
        <Title order={2} size="h4">
          Keys and tokens
        </Title>
        <KeyTable keys={keys.body?.data ?? []} ownId={account.body?.key_id ?? null} onRevoke={revoke} />
      </Stack>
    </Page>
  );
}
