import { Alert, Button, Code, CopyButton, Group, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';

interface Made {
  readonly auth_token: string;
  readonly token_name: string | null;
}

/** Generates a token and shows it once. */
export function NewToken({ onMade }: { readonly onMade: () => void }): ReactNode {
  const { api } = useSession();
  const [name, setName] = useState('');
  const [made, setMade] = useState<Made | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      const body = name.trim() === '' ? {} : { token_name: name.trim() };
      setMade((await api.call<Made>({ path: '/generate_auth_token', body })).body);
      setName('');
      onMade();
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  return (
    <Stack gap="sm">
      <form onSubmit={(event) => void submit(event)}>
        <Group align="flex-end">
          <TextInput
            label="Name of the new token"
            placeholder="billing service"
            maxLength={128}
            autoFocus={location.hash === '#new'}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          <Button type="submit" loading={isBusy}>
            Make a token
          </Button>
        </Group>
      </form>
      <Failure of={failure} />
      {made !== null && (
        <Alert
          color="green"
          variant="outline"
          title="Copy the token now: it is not shown again"
          role="status"
        >
          <Group wrap="wrap">
            <Code className="nestor-text">{made.auth_token}</Code>
            <CopyButton value={made.auth_token}>
              {({ copied, copy }) => (
                <Button size="compact-sm" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                setMade(null);
              }}
            >
              Hide
            </Button>
          </Group>
        </Alert>
      )}
    </Stack>
  );
}
