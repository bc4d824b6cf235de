import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Value } from './draft.ts';
import { parseJson } from './json-text.ts';

interface ValueFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A text field, or a JSON field for other values; emptied, it becomes a text field again. */
export function ValueField({ label, description, placeholder, value, onChange }: ValueFieldProps): ReactNode {
  const problem = value.isJson ? parseJson(value.text).problem : null;
  return (
    <Textarea
      label={value.isJson ? `${label} (JSON)` : label}
      description={description}
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={8}
      value={value.text}
      error={
        problem === null ? undefined : `${problem.message} (line ${problem.line}, column ${problem.column})`
      }
      onChange={(event) => {
        const text = event.currentTarget.value;
        onChange({ text, isJson: value.isJson && text !== '' });
      }}
    />
  );
}
