import type { AnswerMeasures } from './measures.ts';
import type { AnswerRun } from './run.ts';

interface Row {
  readonly name: string;
  readonly of: (measures: AnswerMeasures) => number | null;
}

const rows: readonly Row[] = [
  { name: 'page found: hit@1', of: ({ hit1 }) => hit1 },
  { name: '  hit@5', of: ({ hit5 }) => hit5 },
  { name: '  among all sources', of: ({ found }) => found },
  { name: '  MRR', of: ({ mrr }) => mrr },
  { name: 'citations: precision', of: ({ citationPrecision }) => citationPrecision },
  { name: '  recall', of: ({ citationRecall }) => citationRecall },
  { name: '  the first is right', of: ({ firstCitationRight }) => firstCitationRight },
  { name: 'supported sentences', of: ({ supportedSentences }) => supportedSentences },
  { name: 'page found: right answer', of: ({ right }) => right },
  { name: '  wrong answer', of: ({ wrong }) => wrong },
  { name: 'refused where a page answers', of: ({ refusedAnswerable }) => refusedAnswerable },
  { name: 'refused where none does', of: ({ refusedUnanswerable }) => refusedUnanswerable },
];

/** Figures in words, those left out that nothing was asked for. */
export function toText(measures: AnswerMeasures, { failed, firstFailure, complete }: AnswerRun): string {
  const told = rows.flatMap(({ name, of }) => {
    const value = of(measures);
    return value === null ? [] : [[name, value.toFixed(3)] as const];
  });
  const width = Math.max(...told.map(([name]) => name.length), 'questions'.length);
  const lines = [['questions', String(measures.questions)] as const, ...told].map(
    ([name, value]) => `${name.padEnd(width)}  ${value.padStart(5)}`,
  );
  if (!complete) lines.push('', 'Interrupted: not every question was asked.');
  if (failed > 0) lines.push('', `${failed} failed and are left out; the first: ${firstFailure}`);
  return lines.join('\n');
}
