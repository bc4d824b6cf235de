import { Button, Group, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Details } from '../../parts/answers/details.tsx';

/** Opens a stored response by its id. */
export function OpenForm({ onOpen }: { readonly onOpen: (id: string) => void }): ReactNode {
  const [id, setId] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim() !== '') onOpen(id.trim());
  };
  return (
    <Details summary="Open an earlier response">
      <form onSubmit={submit}>
        <Group align="flex-end">
          <TextInput
            label="Id of the response"
            placeholder="resp_…"
            value={id}
            onChange={(event) => {
              setId(event.currentTarget.value);
            }}
          />
          <Button type="submit" variant="default" disabled={id.trim() === ''}>
            Open
          </Button>
        </Group>
      </form>
    </Details>
  );
}
