import { Button, Checkbox, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { Details } from '../../parts/answers/details.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { functionsProblem, presets, type AgentSettings } from './request.ts';
import { ToolsForm } from './tools-form.tsx';

interface Props {
  readonly settings: AgentSettings;
  readonly onSettings: (changed: Partial<AgentSettings>) => void;
  readonly isBusy: boolean;
  /** The response that new input continues; null without one. */
  readonly lastId: string | null;
  readonly hasRuns: boolean;
  readonly onRun: (input: string, previousId: string | null) => void;
  readonly onClear: () => void;
}

/** What to run, and on what. */
export function AgentForm({
  settings,
  onSettings,
  isBusy,
  lastId,
  hasRuns,
  onRun,
  onClear,
}: Props): ReactNode {
  const [input, setInput] = useState('');
  const [follows, setFollows] = useState(true);
  const canRun = !isBusy && input.trim() !== '' && functionsProblem(settings.functions) === null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!canRun) return;
    onRun(input.trim(), follows ? lastId : null);
    setInput('');
  };
  return (
    <form onSubmit={submit} className="nestor-composer">
      <Stack gap="xs">
        <Textarea
          label="Input"
          description="A question or a task"
          autosize
          minRows={2}
          maxRows={12}
          value={input}
          onChange={(event) => {
            setInput(event.currentTarget.value);
          }}
        />
        <Group align="flex-end" gap="sm">
          <RunsOn settings={settings} onSettings={onSettings} />
          <Button type="submit" disabled={!canRun}>
            Run
          </Button>
          {hasRuns && (
            <Button variant="default" onClick={onClear}>
              Clear
            </Button>
          )}
        </Group>
        {lastId !== null && (
          <Checkbox
            label="Follow on from the response above"
            checked={follows}
            onChange={(event) => {
              setFollows(event.currentTarget.checked);
            }}
          />
        )}
        <Checkbox
          label="Run in the background"
          description="It goes on when you leave, and can be opened again by its id."
          checked={settings.background}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            // What is not stored cannot run in the background.
            onSettings(checked ? { background: true, store: true } : { background: false });
          }}
        />
        <Details summary="Tools, functions and instructions">
          <ToolsForm settings={settings} onSettings={onSettings} />
        </Details>
      </Stack>
    </form>
  );
}

function RunsOn({ settings, onSettings }: Pick<Props, 'settings' | 'onSettings'>): ReactNode {
  const { api } = useSession();
  const models = useCall<{ readonly data: readonly { readonly id: string; readonly available: boolean }[] }>(
    api,
    { path: '/v1/models' },
  );
  return (
    <>
      <Failure of={models.failure} />
      <NativeSelect
        label="Preset or model"
        flex="1 1 14rem"
        maw="28rem"
        value={settings.runsOn}
        data={[
          {
            group: 'Presets',
            items: presets.map(({ name, about }) => ({
              value: `preset:${name}`,
              label: `${name}: ${about}`,
            })),
          },
          {
            group: 'Models',
            items: (models.body?.data ?? []).map(({ id, available }) => ({
              value: `model:${id}`,
              label: available ? id : `${id} (no model behind it)`,
            })),
          },
        ]}
        onChange={(event) => {
          onSettings({ runsOn: event.currentTarget.value });
        }}
      />
    </>
  );
}
