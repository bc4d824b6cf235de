import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { CascadeFields } from './cascade-fields.tsx';
import { toBody, type DeciderDraft } from './draft.ts';
import { EngineFields } from './engine-fields.tsx';
import { PolicyFields } from './policy-fields.tsx';
import { pathOf, type Decider } from './wire.ts';

interface Props {
  readonly first: DeciderDraft;
  /** Whether it gets its name here. */
  readonly isNew: boolean;
  readonly onSaved: (decider: Decider) => void;
}

/** A decider of one's own: made, or replaced whole. */
export function DeciderForm({ first, isNew, onSaved }: Props): ReactNode {
  const { api } = useSession();
  const [draft, setDraft] = useState(first);
  const [message, setMessage] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const change = (part: Partial<DeciderDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
    setSaved(false);
    setMessage(null);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const read = toBody(draft);
    setMessage('message' in read ? read.message : null);
    setFailure(null);
    if ('message' in read) return;
    setBusy(true);
    try {
      const request = { method: 'PUT', path: pathOf(draft.name.trim()), body: read.body } as const;
      const { body } = await api.call<Decider>(request);
      setSaved(true);
      onSaved(body);
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md" maw="46rem">
        {isNew && (
          <TextInput
            label="Name"
            description="Requests send it as model: small letters, digits and hyphens"
            maxLength={32}
            required
            withAsterisk={false}
            value={draft.name}
            onChange={(event) => {
              change({ name: event.currentTarget.value });
            }}
          />
        )}
        <SegmentedControl
          aria-label="What answers"
          data={[
            { value: 'engine', label: 'An engine' },
            { value: 'cascade', label: 'Several in turn' },
          ]}
          value={draft.answersBy}
          onChange={(answersBy) => {
            change({ answersBy: answersBy === 'cascade' ? 'cascade' : 'engine' });
          }}
        />
        {draft.answersBy === 'engine' ? (
          <EngineFields draft={draft} onChange={change} />
        ) : (
          <CascadeFields draft={draft} onChange={change} />
        )}
        <PolicyFields draft={draft} onChange={change} />
        {message !== null && (
          <Alert color="red" variant="outline" role="alert">
            {message}
          </Alert>
        )}
        <Failure of={failure} />
        <Group className="nestor-bar">
          <Button type="submit" loading={isBusy}>
            {isNew ? 'Make the decider' : 'Save'}
          </Button>
          <Text role="status">{isSaved ? 'Saved.' : ''}</Text>
        </Group>
      </Stack>
    </form>
  );
}
