import { Button, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useState, type FormEvent, type ReactNode } from 'react';
import { createApi } from './api/call.ts';
import { ApiFailure } from './api/failure.ts';
import { Failure } from './parts/failure.tsx';
import type { Keys } from './session.tsx';

/** Asks for a key and tries it before it is kept. */
export function SignIn({ onSignIn }: { readonly onSignIn: (keys: Keys) => void }): ReactNode {
  const [key, setKey] = useState('');
  const [adminKey, setAdminKey] = useState('');
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  useDocumentTitle('Sign in · Nestor');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const keys = { key: key.trim(), adminKey: adminKey.trim() === '' ? null : adminKey.trim() };
    setBusy(true);
    setFailure(null);
    try {
      await tryKeys(keys);
      onSignIn(keys);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Container component="main" size={440} py="xl">
      <Paper withBorder p="lg">
        <form onSubmit={(event) => void submit(event)}>
          <Stack>
            <div>
              <Title order={1} size="h2">
                Nestor
              </Title>
              <Text c="dimmed">
                Sign in with a key. All tabs of the console share it, and it is gone with the last one.
              </Text>
            </div>
            <PasswordInput
              label="Key"
              description="The first start printed a root key; any token of an account will do."
              value={key}
              onChange={(event) => {
                setKey(event.currentTarget.value);
              }}
              required
              withAsterisk={false}
              autoFocus
              autoComplete="off"
              visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
            />
            <PasswordInput
              label="Administration key (optional)"
              description="The admin_key of the configuration: all accounts and the index."
              value={adminKey}
              onChange={(event) => {
                setAdminKey(event.currentTarget.value);
              }}
              autoComplete="off"
              visibilityToggleButtonProps={{ 'aria-label': 'Show the administration key' }}
            />
            <Failure of={failure} />
            <Button type="submit" loading={isBusy}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  );
}

async function tryKeys({ key, adminKey }: Keys): Promise<void> {
  // No header carries such a key, so no request would leave the browser.
  if (![key, adminKey ?? ''].every((one) => /^[\x21-\x7e]*$/.test(one)))
    throw new Error('This is no key: it has letters that no key has.');
  await createApi(key)
    .call({ path: '/v1/account' })
    .catch((failure: unknown) => {
      // A key that may not read its account is valid as well.
      if (!(failure instanceof ApiFailure) || failure.status !== 403) throw failure;
    });
  if (adminKey !== null) await createApi(adminKey).call({ path: '/admin/v1/processes' });
}
