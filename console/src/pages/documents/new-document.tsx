import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { Failure } from '../../parts/failure.tsx';
import { documentsPath, type Document } from './wire.ts';

interface Props {
  readonly api: Api;
  readonly onSent: () => void;
}

const empty = { title: '', text: '', url: '' };

/** Sends a text, which is found as soon as it was answered. */
export function NewDocument({ api, onSent }: Props): ReactNode {
  const [fields, setFields] = useState(empty);
  const [sent, setSent] = useState<Document | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (name: keyof typeof empty) => (event: { currentTarget: { value: string } }) => {
    setFields({ ...fields, [name]: event.currentTarget.value });
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    setSent(null);
    try {
      const given = { title: fields.title.trim(), url: fields.url.trim() };
      const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
      const { body } = await api.call<Document>({
        path: documentsPath,
        body: { ...named, text: fields.text },
      });
      setSent(body);
      setFields(empty);
      onSent();
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm" maw="46rem">
        <Textarea
          label="Text"
          description="Plain text or Markdown, whose headings part it."
          autosize
          minRows={3}
          maxRows={12}
          value={fields.text}
          onChange={change('text')}
        />
        <Group align="flex-end" grow preventGrowOverflow={false}>
          <TextInput
            label="Title"
            maxLength={1_000}
            value={fields.title}
            onChange={change('title')}
            miw={200}
          />
          <TextInput
            label="Address, for citations"
            placeholder="https://wiki.example.com/van"
            maxLength={4_096}
            value={fields.url}
            onChange={change('url')}
            miw={200}
          />
        </Group>
        <Failure of={failure} />
        <Group>
          <Button type="submit" loading={isBusy} disabled={fields.text.trim() === ''}>
            Add the text
          </Button>
          <Text size="sm" role="status" className="nestor-text">
            {sent === null ? '' : `“${sent.title}” can be found now.`}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
