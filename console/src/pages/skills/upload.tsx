import { Button, FileInput, Group, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';

interface Props {
  readonly label: string;
  readonly description: string;
  readonly send: (file: File) => Promise<void>;
  readonly onSent: () => void;
}

/** Chooses a zip and sends it. */
export function Upload({ label, description, send, onSent }: Props): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle');
  const [failure, setFailure] = useState<unknown>(null);
  const submit = async (): Promise<void> => {
    if (file === null) return;
    setState('busy');
    setFailure(null);
    try {
      await send(file);
      setFile(null);
      setState('done');
      onSent();
    } catch (error) {
      setFailure(error);
      setState('idle');
    }
  };
  return (
    <>
      <Group align="flex-end">
        <FileInput
          label={label}
          description={description}
          placeholder="Choose a zip"
          accept="application/zip,.zip"
          value={file}
          onChange={(chosen) => {
            setFile(chosen);
            setState('idle');
          }}
          miw={260}
        />
        <Button disabled={file === null} loading={state === 'busy'} onClick={() => void submit()}>
          Send
        </Button>
        <Text role="status">{state === 'done' ? 'Sent.' : ''}</Text>
      </Group>
      <Failure of={failure} />
    </>
  );
}
