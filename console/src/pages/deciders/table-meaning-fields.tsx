import { Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Details } from '../../parts/answers/details.tsx';
import type { Table } from '../decide/csv.ts';
import { questionProblem, type Question } from './question.ts';
import type { TableMeaning } from './read-examples.ts';
import { parseWithDigits } from '../../parts/written-number.ts';

interface Props {
  readonly table: Table;
  readonly meaning: TableMeaning;
  readonly onChange: (part: Partial<TableMeaning>) => void;
}

/** Which columns are meant, and the question that they answer. */
export function TableMeaningFields({ table, meaning, onChange }: Props): ReactNode {
  const columns = table.columns.map((label, at) => ({ value: String(at), label }));
  const { question } = meaning;
  return (
    <Stack gap="sm">
      <Group grow>
        <NativeSelect
          label="Column of the text"
          data={columns}
          value={String(meaning.stateColumn)}
          onChange={(event) => {
            onChange({ stateColumn: Number(event.currentTarget.value) });
          }}
        />
        <NativeSelect
          label="Column of the answer"
          data={columns}
          value={String(meaning.answerColumn)}
          onChange={(event) => {
            onChange({ answerColumn: Number(event.currentTarget.value) });
          }}
        />
      </Group>
      <TextInput
        label="Instructions (optional)"
        description="What is asked. A question that was learned has to be asked with the same words later."
        value={typeof question.instructions === 'string' ? question.instructions : ''}
        onChange={(event) => {
          const { instructions: _, ...rest } = question;
          const instructions = event.currentTarget.value;
          onChange({ question: instructions === '' ? rest : { ...rest, instructions } });
        }}
      />
      <Details summary="The whole question as JSON">
        <QuestionJson
          question={question}
          onChange={(changed) => {
            onChange({ question: changed });
          }}
        />
      </Details>
    </Stack>
  );
}

interface QuestionJsonProps {
  readonly question: Question;
  readonly onChange: (question: Question) => void;
}

/** While what is written is no question, it stays here and the one before it counts. */
function QuestionJson({ question, onChange }: QuestionJsonProps): ReactNode {
  const [written, setWritten] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Textarea
      label="Question"
      description="Options with descriptions, or the levels of a score, can be written here."
      rows={8}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={written ?? JSON.stringify(question, null, 2)}
      error={problem}
      onChange={(event) => {
        const text = event.currentTarget.value;
        const read = readQuestion(text);
        setWritten(text);
        setProblem('problem' in read ? read.problem : null);
        if ('question' in read) onChange(read.question);
      }}
    />
  );
}

function readQuestion(text: string): { readonly question: Question } | { readonly problem: string } {
  let value: unknown;
  try {
    value = parseWithDigits(text);
  } catch {
    return { problem: 'This is no JSON.' };
  }
  const problem = questionProblem(value);
  return problem === null ? { question: value as Question } : { problem };
}
