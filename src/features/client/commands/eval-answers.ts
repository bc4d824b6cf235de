import { texts, toWhole } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { usualRefusal } from '../answers/grade.ts';
import { measureAnswers } from '../answers/measures.ts';
import { readQuestions, toPattern, type AskedQuestion } from '../answers/questions.ts';
import { toText } from '../answers/report.ts';
import { askQuestions, type AnswerRun } from '../answers/run.ts';
import { readNames } from '../names.ts';
import type { Client } from '../open-client.ts';
import { clientCommand, clientUsage, readBytes } from './client-command.ts';
import { toLines } from './client-paint.ts';

const usage = `nestor eval --answers FILE…: how good answers with sources are, asked of a running server

  nestor eval --answers questions.jsonl
  nestor eval --answers questions.jsonl --model svc-pro --concurrency 4 --json

FILE is JSONL, {"question": …, "pages": […], "holds": …} a line: the ends of the addresses of pages that answer, and a
text that a right answer holds, or a regular expression in "matches". With "pages": [] no page answers, and a right
answer says so.

  --model NAME          a chat model (default: the server's own)
  --concurrency N       questions under way at once (default 1)
  --refusal PATTERN     how an answer begins that says it has none (default: Nestor's words and usual ones)
${clientUsage}
See docs/guide/answers.md.`;

const options = {
  answers: { type: 'string' },
  ...texts('model', 'concurrency', 'refusal'),
} as const;

/** The form of `nestor eval` for answers in words. */
export const runEvalAnswers = clientCommand({
  name: 'eval',
  usage,
  options,
  plan({ values, words }, context) {
    const { answers, model, refusal } = values;
    if (answers === undefined) throw new UsageError('--answers lacks its value.');
    const questions = [answers, ...words].flatMap((file) =>
      readQuestions(readBytes(file, context).toString('utf8'), file),
    );
    const concurrency = toWhole('--concurrency', values.concurrency) ?? 1;
    const pattern = refusal === undefined ? usualRefusal : toPattern(refusal);
    if (pattern === null) throw new UsageError('--refusal takes a regular expression.');
    return async (client) => {
      const asked = { questions, model, refusal: pattern, concurrency };
      const run = await askWithProgress(client, asked, context);
      print(run, values.json, context);
      if (!run.complete) return exitCodes.interrupted;
      return run.answers.length > 0 ? exitCodes.done : exitCodes.failed;
    };
  },
});

interface Asking {
  readonly questions: readonly AskedQuestion[];
  readonly model: string | undefined;
  readonly refusal: RegExp;
  readonly concurrency: number;
}

async function askWithProgress(
  client: Client,
  { questions, model, ...options }: Asking,
  { err, clock, signal }: CommandContext,
): Promise<AnswerRun> {
  const name = model ?? (await readNames(client, signal)).chat;
  const progress = createProgress(err, questions.length, clock);
  try {
    return await askQuestions(client, questions, {
      ...options,
      model: name,
      signal,
      onProgress: (done, failed) => progress.update(done, failed),
    });
  } finally {
    progress.finish();
  }
}

function print(run: AnswerRun, isJson: boolean, { out }: CommandContext): void {
  const { answers, ...rest } = run;
  const measures = measureAnswers(answers);
  // What a server wrote does not command the terminal.
  const text = toLines(toText(measures, run));
  printResult(out, { ...rest, measures, answers }, text, isJson);
}
