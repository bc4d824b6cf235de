import { Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { requestExamples } from '../parts/answers/request-examples.ts';
import { CodeExamples } from '../parts/code-examples.tsx';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { counts, fromAddress, recencies, toAddress } from './search/address.ts';
import { Results, type SearchAnswer } from './search/results.tsx';
import { toBody, type SearchForm } from './search/to-body.ts';

/** What chat and the agent are grounded in, asked for by hand. */
export function SearchPage(): ReactNode {
  const { api } = useSession();
  const [params, setParams] = useSearchParams();
  const [form, setForm] = useState(() => fromAddress(params));
  const [asked, setAsked] = useState<Readonly<Record<string, unknown>> | null>(null);
  const [answer, setAnswer] = useState<SearchAnswer | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [running, setRunning] = useState(false);
  const abort = useRef<AbortController | null>(null);
  const search = async (): Promise<void> => {
    abort.current?.abort();
    const control = new AbortController();
    abort.current = control;
    const body = toBody(form);
    setRunning(true);
    setFailure(null);
    setAsked(body);
    const startedMs = performance.now();
    try {
      const { body: found } = await api.call<Omit<SearchAnswer, 'tookMs'>>({
        path: '/search',
        body,
        signal: control.signal,
      });
      setAnswer({ ...found, tookMs: performance.now() - startedMs });
    } catch (error) {
      if (!control.signal.aborted) setFailure(error);
    }
    if (abort.current === control) setRunning(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setParams(toAddress(form), { replace: true });
    void search();
  };
  useOnce(() => {
    if (form.query !== '') void search();
  });
  return (
    <Page
      title="Search"
      about="Pages with the passages that fit, from the index of this server and the web engines it is configured with."
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="What to look for"
            value={form.query}
            maxLength={8_192}
            required
            withAsterisk={false}
            onChange={(event) => {
              setForm({ ...form, query: event.currentTarget.value });
            }}
          />
          <Filters form={form} onChange={setForm} />
          <Group>
            <Button type="submit" loading={running}>
              Search
            </Button>
            {running && (
              <Button variant="default" onClick={() => abort.current?.abort()}>
                Stop
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <Failure of={failure} />
      {answer !== null && <Results answer={answer} />}
      {asked !== null && (
        <CodeExamples examples={requestExamples({ origin: location.origin, path: '/search', body: asked })} />
      )}
    </Page>
  );
}

/** When the page is opened: a search in the address is made at once. */
function useOnce(work: () => void): void {
  const first = useRef<(() => void) | null>(work);
  useEffect(() => {
    first.current?.();
    first.current = null;
  }, []);
}

interface FiltersProps {
  readonly form: SearchForm;
  readonly onChange: (form: SearchForm) => void;
}

function Filters({ form, onChange }: FiltersProps): ReactNode {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" maw="56rem">
      <TextInput
        label="Domains"
        placeholder="nodejs.org"
        value={form.domains}
        onChange={(event) => {
          onChange({ ...form, domains: event.currentTarget.value });
        }}
      />
      <Select
        label="Newer than"
        placeholder="any time"
        clearable
        data={recencies}
        value={form.recency}
        onChange={(recency) => {
          onChange({ ...form, recency });
        }}
      />
      <Select
        label="Sources"
        data={[
          { value: 'web', label: 'Web and index' },
          { value: 'academic', label: 'Articles' },
          { value: 'sec', label: 'Filings' },
        ]}
        allowDeselect={false}
        value={form.mode}
        onChange={(mode) => {
          onChange({ ...form, mode: mode ?? 'web' });
        }}
      />
      <Select
        label="Results"
        data={counts}
        allowDeselect={false}
        value={form.count}
        onChange={(count) => {
          onChange({ ...form, count: count ?? '10' });
        }}
      />
    </SimpleGrid>
  );
}
