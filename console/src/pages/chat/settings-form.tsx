import { Checkbox, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { takesEffort } from '../../parts/answers/chat-models.ts';
import type { ChatSettings } from './request.ts';

interface Props {
  readonly settings: ChatSettings;
  readonly onChange: (changed: Partial<ChatSettings>) => void;
}

interface Choice {
  readonly name: 'mode' | 'rounds' | 'contextSize' | 'recency';
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

const choices: readonly Choice[] = [
  {
    name: 'mode',
    label: 'Search in',
    options: [
      { value: '', label: 'the web' },
      { value: 'academic', label: 'academic works' },
      { value: 'sec', label: 'filings of companies (SEC)' },
    ],
  },
  {
    name: 'recency',
    label: 'Pages of',
    options: [
      { value: '', label: 'any time' },
      ...['hour', 'day', 'week', 'month', 'year'].map((value) => ({ value, label: `the last ${value}` })),
    ],
  },
  {
    name: 'rounds',
    label: 'Rounds of search',
    options: [
      { value: '', label: 'one (fast)' },
      { value: 'pro', label: 'up to five (pro)' },
    ],
  },
  {
    name: 'contextSize',
    label: 'Text of sources',
    options: [
      { value: '', label: 'little (low)' },
      { value: 'medium', label: 'medium' },
      { value: 'high', label: 'much (high)' },
    ],
  },
];

/** How to search and answer; everything here is optional. */
export function SettingsForm({ settings, onChange }: Props): ReactNode {
  return (
    <Stack gap="sm">
      <Checkbox
        label="Search before answering"
        checked={settings.searches}
        onChange={(event) => {
          onChange({ searches: event.currentTarget.checked });
        }}
      />
      {settings.searches && <SearchFields settings={settings} onChange={onChange} />}
      <Checkbox
        label="Suggest questions that lead on"
        checked={settings.related}
        onChange={(event) => {
          onChange({ related: event.currentTarget.checked });
        }}
      />
      {takesEffort(settings.model) && (
        <NativeSelect
          label="Effort"
          description="How many rounds of research: 3, 6 or 10."
          value={settings.effort}
          data={[
            { value: '', label: 'medium' },
            { value: 'low', label: 'low' },
            { value: 'high', label: 'high' },
          ]}
          onChange={(event) => {
            onChange({ effort: event.currentTarget.value });
          }}
        />
      )}
      <Textarea
        label="Instructions"
        description="Sent as the system message of the conversation."
        autosize
        maxRows={8}
        value={settings.instructions}
        onChange={(event) => {
          onChange({ instructions: event.currentTarget.value });
        }}
      />
    </Stack>
  );
}

function SearchFields({ settings, onChange }: Props): ReactNode {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      {choices.map(({ name, label, options }) => (
        <NativeSelect
          key={name}
          label={label}
          data={[...options]}
          value={settings[name]}
          onChange={(event) => {
            onChange({ [name]: event.currentTarget.value });
          }}
        />
      ))}
      <TextInput
        label="Domains"
        description="Only these: example.org, -not-this.example"
        value={settings.domains}
        onChange={(event) => {
          onChange({ domains: event.currentTarget.value });
        }}
      />
      <TextInput
        label="Languages"
        description="Two letters each: en, de"
        value={settings.languages}
        onChange={(event) => {
          onChange({ languages: event.currentTarget.value });
        }}
      />
    </SimpleGrid>
  );
}
