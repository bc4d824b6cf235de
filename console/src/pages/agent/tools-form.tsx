import { Button, Checkbox, Group, NumberInput, Stack, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { builtInTools, functionsExample, functionsProblem, type AgentSettings } from './request.ts';

interface Props {
  readonly settings: AgentSettings;
  readonly onSettings: (changed: Partial<AgentSettings>) => void;
}

/** What a run may do, and how it is to do it. */
export function ToolsForm({ settings, onSettings }: Props): ReactNode {
  const { tools, functions, instructions, maxSteps, store, background } = settings;
  return (
    <Stack gap="sm">
      <Checkbox.Group
        label="Tools"
        description="A preset has its own; these are added."
        value={[...tools]}
        onChange={(chosen) => {
          onSettings({ tools: builtInTools.map(({ type }) => type).filter((type) => chosen.includes(type)) });
        }}
      >
        <Group gap="md" mt="xs">
          {builtInTools.map(({ type, label, about }) => (
            <Checkbox key={type} value={type} label={label} description={about} />
          ))}
        </Group>
      </Checkbox.Group>
      <Textarea
        label="Functions"
        description="JSON: a list with name, description and parameters (a JSON Schema). The run stops for each, and you give the output here."
        autosize
        minRows={2}
        maxRows={16}
        value={functions}
        error={functionsProblem(functions)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onChange={(event) => {
          onSettings({ functions: event.currentTarget.value });
        }}
      />
      {functions === '' && (
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              onSettings({ functions: functionsExample });
            }}
          >
            Put in an example of a function
          </Button>
        </Group>
      )}
      <Textarea
        label="Instructions"
        description="In place of those of the preset"
        autosize
        maxRows={8}
        value={instructions}
        onChange={(event) => {
          onSettings({ instructions: event.currentTarget.value });
        }}
      />
      <NumberInput
        label="Steps at most"
        description="1 to 10; left empty, as the preset says"
        min={1}
        max={10}
        allowDecimal={false}
        hideControls
        value={maxSteps ?? ''}
        onChange={(value) => {
          onSettings({ maxSteps: typeof value === 'number' ? value : null });
        }}
      />
      <Checkbox
        label="Store the response"
        description="So that it can be opened again by its id"
        checked={store}
        disabled={background}
        onChange={(event) => {
          onSettings({ store: event.currentTarget.checked });
        }}
      />
    </Stack>
  );
}
