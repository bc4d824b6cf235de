import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { FunctionOutput } from './request.ts';
import { CodeBlock } from './timeline.tsx';
import type { FunctionCallItem } from './wire.ts';
import { parseWithDigits } from '../../parts/written-number.ts';

interface Props {
  readonly calls: readonly FunctionCallItem[];
  readonly isBusy: boolean;
  readonly onAnswer: (outputs: readonly FunctionOutput[]) => void;
}

/** The functions that a run waits for, to be answered by hand. */
export function CallsForm({ calls, isBusy, onAnswer }: Props): ReactNode {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAnswer(
      calls.map(({ call_id }) => ({
        type: 'function_call_output',
        call_id,
        output: outputs[call_id] ?? '',
      })),
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          Functions to answer
        </Title>
        <Text size="sm">The run has stopped for your functions. Call them, and send what they gave.</Text>
        {calls.map(({ call_id, name, arguments: given }) => (
          <Stack key={call_id} gap="xs">
            <CodeBlock label={`Arguments of ${name}`}>{indented(given)}</CodeBlock>
            <Textarea
              label={`Output of ${name}`}
              description={`JSON or text, for the call ${call_id}`}
              autosize
              minRows={2}
              maxRows={12}
              required
              value={outputs[call_id] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setOutputs((before) => ({ ...before, [call_id]: value }));
              }}
            />
          </Stack>
        ))}
        <Group>
          <Button type="submit" disabled={isBusy}>
            Send the outputs
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(parseWithDigits(json), null, 2);
  } catch {
    return json;
  }
}
