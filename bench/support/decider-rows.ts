import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { feelingExamples, type Example } from '../../training/examples.ts';

/** Files that `nestor eval` asks as one. */
export interface RowSet {
  readonly name: string;
  readonly files: readonly string[];
}

/** Topics by bare names, statements on messages that nothing was fitted on, and reasoning. */
export function writeDeciderRows(data: string, out: string): readonly RowSet[] {
  const statements = join(out, 'statements.jsonl');
  const lines = halfTrue(feelingExamples(false)).map(({ state, question, right }) =>
    JSON.stringify({
      state,
      question: { type: 'noul', instructions: question.question },
      answer: right === 0,
    }),
  );
  writeFileSync(statements, `${lines.join('\n')}\n`);
  const reasoning = readdirSync(join(data, 'bbh')).filter((name) => name.endsWith('.json'));
  return [
    { name: 'BANKING77', files: [join(data, 'banking77', 'test.csv')] },
    { name: 'CLINC150', files: [join(data, 'clinc150', 'data_full.json')] },
    { name: 'statements', files: [statements] },
    { name: 'BBH', files: reasoning.toSorted().map((name) => join(data, 'bbh', name)) },
  ];
}

/** One in twelve holds: all of these, and as many of the others, from all messages. */
function halfTrue(examples: readonly Example[]): readonly Example[] {
  const [held, others] = [0, 1].map((right) => examples.filter((one) => one.right === right));
  const step = (others?.length ?? 0) / (held?.length ?? 1);
  return [...(held ?? []), ...(held ?? []).flatMap((_, at) => others?.[Math.floor(at * step)] ?? [])];
}
