import { Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { Page } from '../parts/page.tsx';
import { AgentForm } from './agent/form.tsx';
import { OpenForm } from './agent/open-form.tsx';
import { firstSettings, toAgentRequest, toFollowingRequest, type AgentSettings } from './agent/request.ts';
import { RunView } from './agent/run-view.tsx';
import { useRuns } from './agent/use-runs.ts';

export function AgentPage(): ReactNode {
  const [settings, setSettings] = useState<AgentSettings>(firstSettings);
  const { entries, isBusy, start, open, stop, remove, clear } = useRuns();
  const last = entries.at(-1);
  const response = last?.run.response ?? null;
  useResponseInAddress(response?.store === true ? response.id : null, open);
  return (
    <Page
      title="Agent"
      about="Answers an input with searches, pages, code and functions of yours, step by step."
    >
      <OpenForm onOpen={open} />
      {entries.length === 0 && (
        <Text c="dimmed">
          Give it something to do below. Without a model of your own it still searches, and answers with
          sentences of what it found.
        </Text>
      )}
      <Stack gap="md">
        {entries.map((entry) => (
          <RunView
            key={entry.key}
            entry={entry}
            isBusy={isBusy}
            isFollowed={entry !== last}
            onStop={stop}
            onDelete={() => {
              remove(entry);
            }}
            onAnswer={(outputs) => {
              const { response: asking } = entry.run;
              if (asking === null) return;
              start(
                toFollowingRequest(asking, entry.request, outputs),
                outputs.length === 1 ? 'Output of a function' : `Outputs of ${outputs.length} functions`,
              );
            }}
          />
        ))}
      </Stack>
      <AgentForm
        settings={settings}
        onSettings={(changed) => {
          setSettings({ ...settings, ...changed });
        }}
        isBusy={isBusy}
        lastId={response?.status === 'completed' ? response.id : null}
        hasRuns={entries.length > 0}
        onRun={(input, previousId) => {
          start(toAgentRequest(settings, input, previousId), input);
        }}
        onClear={clear}
      />
    </Page>
  );
}

/** The address names the response that is shown, so that a reload shows it again and follows it. */
function useResponseInAddress(shown: string | null, open: (id: string) => void): void {
  const [params, setParams] = useSearchParams();
  const [asked] = useState(() => params.get('response'));
  useEffect(() => {
    if (asked !== null) open(asked);
  }, [asked, open]);
  const named = params.get('response');
  const hasShown = useRef(false);
  useEffect(() => {
    if (shown !== null) {
      hasShown.current = true;
      if (shown !== named) setParams({ response: shown }, { replace: true });
    } else if (hasShown.current && named !== null) setParams({}, { replace: true });
  }, [shown, named, setParams]);
}
