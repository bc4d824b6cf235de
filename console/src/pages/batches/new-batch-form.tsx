import { Alert, Button, Checkbox, FileButton, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { defaultEngine } from '../decide/engine-names.ts';
import { firstWork, type Work } from '../decide/kept.ts';
import { QuestionsInput } from '../decide/questions-input.tsx';
import { readQuestions } from '../decide/request.ts';
import type { DeciderList } from '../deciders/wire.ts';
import { openFile, type ChosenFile } from './chosen-file.ts';
import { FilePreview } from './file-preview.tsx';
import { sendBatch, type Batch } from './wire.ts';

interface Props {
  readonly onCreated: (batch: Batch) => void;
}

/** A file, what is asked about its rows, and of whom. */
export function NewBatchForm({ onCreated }: Props): ReactNode {
  const { api } = useSession();
  const [chosen, setChosen] = useState<ChosenFile | null>(null);
  const [column, setColumn] = useState<number | null>(null);
  const [isOwn, setOwn] = useState(false);
  const [work, setWork] = useState<Work>(firstWork);
  const [model, setModel] = useState(defaultEngine);
  const [message, setMessage] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const choose = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const opened = await openFile(file);
    setMessage('message' in opened ? opened.message : null);
    if ('message' in opened) return;
    setChosen(opened.chosen);
    setColumn(opened.chosen.likelyColumn);
    setOwn(opened.chosen.preview(null).haveQuestions);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (chosen === null) return;
    const read = readQuestions(work);
    const problem = isOwn ? null : (read.problem?.message ?? null);
    setMessage(problem);
    setFailure(null);
    if (problem !== null) return;
    setBusy(true);
    try {
      const questions = isOwn ? null : read.questions;
      onCreated(await sendBatch(api, { model, questions, name: chosen.name, rows: chosen.rows(column) }));
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md" component="section" aria-label="New batch">
        <Group>
          <FileButton
            accept=".jsonl,.ndjson,.csv,.tsv,.txt,application/x-ndjson,text/csv"
            onChange={(file) => void choose(file)}
          >
            {(props) => (
              <Button {...props} variant={chosen === null ? 'filled' : 'default'}>
                {chosen === null ? 'Choose a file' : 'Choose another file'}
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="dimmed">
            A table (CSV), or JSON lines with a state each
          </Text>
        </Group>
        {message !== null && (
          <Alert color="red" variant="outline" role="alert">
            {message}
          </Alert>
        )}
        {chosen !== null && (
          <>
            <FilePreview chosen={chosen} column={column} onColumn={setColumn} />
            <ModelPicker model={model} onModel={setModel} />
            <Checkbox
              label="Every row has questions of its own"
              checked={isOwn}
              onChange={(event) => {
                setOwn(event.currentTarget.checked);
              }}
            />
            {!isOwn && (
              <QuestionsInput
                work={work}
                change={(part) => {
                  setWork((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) }));
                }}
              />
            )}
            <Failure of={failure} />
            <Group>
              <Button type="submit" loading={isBusy}>
                Send the batch
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  );
}

interface ModelPickerProps {
  readonly model: string;
  readonly onModel: (model: string) => void;
}

function ModelPicker({ model, onModel }: ModelPickerProps): ReactNode {
  const { api } = useSession();
  const { body, failure } = useCall<DeciderList>(api, { path: '/v1/deciders' });
  const names = (body?.deciders ?? []).map(({ name }) => name);
  return (
    <>
      <Failure of={failure} />
      <NativeSelect
        label="Decider"
        maw="24rem"
        data={[...new Set([defaultEngine, ...names])]}
        value={model}
        onChange={(event) => {
          onModel(event.currentTarget.value);
        }}
      />
    </>
  );
}
