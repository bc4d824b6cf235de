import { Button, Group, NumberInput, Select, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { Failure } from '../failure.tsx';

interface Props {
  readonly api: Api;
  /** Of the operations on sources. */
  readonly path: string;
  /** Of the field: what may be named there. */
  readonly label: string;
  readonly onAdded: () => void;
}

/** Adds a place, and begins to read it. */
export function NewSource({ api, path, label, onAdded }: Props): ReactNode {
  const [location, setLocation] = useState('');
  const [depth, setDepth] = useState<number | string>('');
  const [include, setInclude] = useState('');
  const [every, setEvery] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    const patterns = include.split(/[\s,]+/).filter((pattern) => pattern !== '');
    const body = {
      location: location.trim(),
      ...(typeof depth === 'number' ? { depth } : {}),
      ...(patterns.length === 0 ? {} : { include: patterns }),
      ...(every === null ? {} : { every }),
    };
    try {
      await api.call({ path, body });
      setLocation('');
      onAdded();
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Group align="flex-end">
        <TextInput
          label={label}
          placeholder="https://docs.example.com"
          value={location}
          onChange={(event) => {
            setLocation(event.currentTarget.value);
          }}
          required
          withAsterisk={false}
          miw={280}
        />
        <NumberInput
          label="Links to follow"
          placeholder="default"
          min={0}
          max={10}
          value={depth}
          onChange={setDepth}
          w={130}
        />
        <TextInput
          label="Only paths like"
          placeholder="**/*.md"
          value={include}
          onChange={(event) => {
            setInclude(event.currentTarget.value);
          }}
        />
        <Select
          label="Read again every"
          placeholder="default"
          clearable
          data={['30m', '6h', '1d', '7d']}
          value={every}
          onChange={setEvery}
          w={150}
        />
        <Button type="submit" loading={isBusy}>
          Add
        </Button>
      </Group>
      <Failure of={failure} />
    </form>
  );
}
