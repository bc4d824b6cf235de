import { Alert, Button, FileButton, Group, Textarea, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { decodeFile, fileBytesMax } from '../decide/csv.ts';

interface Props {
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Drawing a longer text takes longer than reading it. */
const lettersShown = 200_000;

/** A file, or what somebody pastes. */
export function ExampleSource({ text, onText }: Props): ReactNode {
  const [message, setMessage] = useState<string | null>(null);
  const isLong = text.length > lettersShown;
  const choose = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const isTooLarge = file.size > fileBytesMax;
    setMessage(isTooLarge ? `A file may have ${fileBytesMax / 1e6} MB; this one is larger.` : null);
    if (!isTooLarge) onText(decodeFile(new Uint8Array(await file.arrayBuffer())));
  };
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Add examples
        </Title>
        <Group gap="xs">
          {isLong && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => {
                onText('');
              }}
            >
              Take them back
            </Button>
          )}
          <FileButton
            accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv,application/json"
            onChange={(file) => void choose(file)}
          >
            {(props) => (
              <Button {...props} variant="default" size="compact-sm">
                Choose a file
              </Button>
            )}
          </FileButton>
        </Group>
      </Group>
      <Textarea
        label="Or paste them here"
        description="A table with names of its columns, text and category for example; or JSON lines with state, question and answer."
        placeholder={'text,category\nMy card was charged twice,billing\nWhere is my parcel?,delivery'}
        rows={6}
        wrap="off"
        spellCheck={false}
        value={isLong ? `${text.slice(0, lettersShown)}…` : text}
        readOnly={isLong}
        onChange={(event) => {
          onText(event.currentTarget.value);
        }}
      />
      {message !== null && (
        <Alert color="red" variant="outline" role="alert">
          {message}
        </Alert>
      )}
    </>
  );
}
