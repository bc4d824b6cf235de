import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { useOpenapi } from '../../api/openapi.ts';
import { aboutChatModel, readChatModels, takesEffort } from '../../parts/answers/chat-models.ts';
import { Details } from '../../parts/answers/details.tsx';
import { requestExamples } from '../../parts/answers/request-examples.ts';
import { CodeExamples } from '../../parts/code-examples.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { rememberQuestion } from './questions.ts';
import { createIdempotencyKey, type Job } from './wire.ts';

interface Fields {
  readonly question: string;
  /** '' until it is chosen. */
  readonly model: string;
  readonly effort: string;
  readonly idempotencyKey: string;
}

/** Creates a job. The same key and question return the existing job, so a double click creates one. */
export function NewJobForm({ onCreated }: { readonly onCreated: (job: Job) => void }): ReactNode {
  const { api } = useSession();
  const openapi = useOpenapi(api);
  const models = useMemo(() => readChatModels(openapi.body), [openapi.body]);
  const [fields, setFields] = useState<Fields>(createFields);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // Reports take long, so they are what jobs are mostly for.
  const model = fields.model === '' ? (models.at(-1) ?? '') : fields.model;
  const body = toBody({ ...fields, model });
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      const { body: job } = await api.call<Job>({ path: '/async/chat/completions', body });
      rememberQuestion(localStorage, job.id, fields.question.trim());
      setFields({ ...createFields(), model, effort: fields.effort });
      onCreated(job);
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void create(event)}>
      <Stack gap="sm">
        <Failure of={openapi.failure} />
        <FieldInputs
          fields={{ ...fields, model }}
          models={models}
          onChange={(changed) => {
            setFields({ ...fields, ...changed });
          }}
        />
        <Failure of={failure} />
        <Group>
          <Button type="submit" loading={isBusy} disabled={model === '' || fields.question.trim() === ''}>
            Create the job
          </Button>
        </Group>
        <Details summary="This request in code">
          <CodeExamples
            examples={requestExamples({ origin: location.origin, path: '/async/chat/completions', body })}
          />
        </Details>
      </Stack>
    </form>
  );
}

interface InputsProps {
  readonly fields: Fields;
  readonly models: readonly string[];
  readonly onChange: (changed: Partial<Fields>) => void;
}

function FieldInputs({ fields, models, onChange }: InputsProps): ReactNode {
  return (
    <>
      <Textarea
        label="Question"
        autosize
        minRows={2}
        maxRows={12}
        value={fields.question}
        onChange={(event) => {
          onChange({ question: event.currentTarget.value });
        }}
      />
      <NativeSelect
        label="Model"
        description={aboutChatModel(fields.model)}
        data={[...models]}
        value={fields.model}
        disabled={models.length === 0}
        onChange={(event) => {
          onChange({ model: event.currentTarget.value });
        }}
      />
      {takesEffort(fields.model) && (
        <NativeSelect
          label="Effort"
          description="How many rounds of research: 3, 6 or 10."
          data={['low', 'medium', 'high']}
          value={fields.effort}
          onChange={(event) => {
            onChange({ effort: event.currentTarget.value });
          }}
        />
      )}
      <Details summary="Idempotency key">
        <Text size="sm">
          Sent with the job, so that asking twice makes one job. Another question needs another key.
        </Text>
        <TextInput
          label="Key of this job"
          maxLength={255}
          value={fields.idempotencyKey}
          onChange={(event) => {
            onChange({ idempotencyKey: event.currentTarget.value });
          }}
        />
      </Details>
    </>
  );
}

function createFields(): Fields {
  return { question: '', model: '', effort: 'medium', idempotencyKey: createIdempotencyKey() };
}

function toBody({ question, model, effort, idempotencyKey }: Fields): object {
  return {
    request: {
      model,
      messages: [{ role: 'user', content: question.trim() }],
      ...(takesEffort(model) ? { reasoning_effort: effort } : {}),
    },
    ...(idempotencyKey === '' ? {} : { idempotency_key: idempotencyKey }),
  };
}
