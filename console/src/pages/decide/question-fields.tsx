import { Fieldset, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { LevelFields, OptionFields } from './criteria-fields.tsx';
import type { Kind, QuestionDraft } from './draft.ts';
import { RowButtons } from './row-buttons.tsx';
import { ValueField } from './value-field.tsx';

const kinds: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: 'noul', label: 'noul: yes or no' },
  { value: 'choice', label: 'choice: pick one' },
  { value: 'score', label: 'score: on a scale' },
];

interface QuestionFieldsProps {
  readonly draft: QuestionDraft;
  readonly at: number;
  readonly count: number;
  readonly onChange: (draft: QuestionDraft) => void;
  readonly onMove: (id: number, to: number) => void;
  readonly onRemove: (id: number) => void;
}

/** One question of the form. Drawn again only when it changes, because a request has up to 128. */
export const QuestionFields = memo(function QuestionFields(props: QuestionFieldsProps): ReactNode {
  const { draft, at, count, onChange, onMove, onRemove } = props;
  return (
    <Fieldset legend={`Question ${at + 1}`} p="sm">
      <Stack gap="xs">
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Name"
            flex="1 1 9rem"
            value={draft.name}
            onChange={(event) => {
              onChange({ ...draft, name: event.currentTarget.value });
            }}
          />
          <NativeSelect
            label="Kind"
            flex="1 1 11rem"
            data={[...kinds]}
            value={draft.kind}
            onChange={(event) => {
              const kind =
                kinds.find(({ value }) => value === event.currentTarget.value)?.value ?? draft.kind;
              onChange({ ...draft, kind });
            }}
          />
          <RowButtons
            of={`question ${draft.name === '' ? at + 1 : draft.name}`}
            at={at}
            count={count}
            onMove={(to) => {
              onMove(draft.id, to);
            }}
            onRemove={() => {
              onRemove(draft.id);
            }}
          />
        </Group>
        <ValueField
          label="Instructions"
          placeholder="What is to be judged?"
          value={draft.instructions}
          onChange={(instructions) => {
            onChange({ ...draft, instructions });
          }}
        />
        <Criteria draft={draft} onChange={onChange} />
        {draft.rest !== '{}' && (
          <Text size="sm" c="dimmed" className="nestor-text">
            Further fields, only to be changed as JSON: {draft.rest}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
});

function Criteria({ draft, onChange }: Pick<QuestionFieldsProps, 'draft' | 'onChange'>): ReactNode {
  switch (draft.kind) {
    case 'noul':
      return (
        <Group grow align="flex-start" gap="xs">
          <ValueField
            label="Yes means (optional)"
            value={draft.yes}
            onChange={(yes) => {
              onChange({ ...draft, yes });
            }}
          />
          <ValueField
            label="No means (optional)"
            value={draft.no}
            onChange={(no) => {
              onChange({ ...draft, no });
            }}
          />
        </Group>
      );
    case 'choice':
      return (
        <OptionFields
          options={draft.options}
          onChange={(options) => {
            onChange({ ...draft, options });
          }}
        />
      );
    case 'score':
      return (
        <LevelFields
          levels={draft.levels}
          onChange={(levels) => {
            onChange({ ...draft, levels });
          }}
        />
      );
  }
}
