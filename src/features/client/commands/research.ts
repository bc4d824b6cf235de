import { ApiError } from '../api.ts';
import { readNames } from '../names.ts';
import { awaitJob, readJob, startResearch, type Job } from '../research.ts';
import type { Client } from '../open-client.ts';
import { checkOneOf, filterOptions, toFilters } from './ask.ts';
import { clientCommand, clientUsage, printReply, readWordsOrInput } from './client-command.ts';
import { printSources, toLines } from './client-paint.ts';
import { createPlainAnswer } from './plain-answer.ts';
import { createWaiting } from '../../../kernel/commands/waiting.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor research QUESTION: a thorough report with sources, written in the background

  nestor research "What is known about the safety of sodium-ion batteries?"
  nestor research "Compare SQLite and PostgreSQL for queues" --effort high
  nestor research "…" --no-wait              only start it and print its job
  nestor research --job 5a1c3c9e-0f52-4c0a-8d8e-2f7f0e1a9b11   wait for one that was started

The server goes on whether or not you wait: Ctrl-C ends the waiting and tells how to come back.

  --effort EFFORT       low, medium (default) or high
  --no-wait             do not wait for the report
  --job ID              a job that was started before
  --model NAME          a chat model (default: the server's own for research)
  --domain HOST         only this site; =-HOST leaves one out; may be given several times
  --recency TIME        only pages of the last hour, day, week, month or year
${clientUsage}
See docs/guide/jobs.md.`;

const options = {
  ...filterOptions,
  effort: { type: 'string' },
  job: { type: 'string' },
  'no-wait': { type: 'boolean', default: false },
} as const;

export const runResearch = clientCommand({
  name: 'research',
  usage,
  options,
  plan({ values, words }, context) {
    const { effort, job: id } = values;
    checkOneOf('--effort', effort, ['low', 'medium', 'high']);
    if (id !== undefined && words.length > 0) throw new UsageError('Give either QUESTION or --job.');
    const fields = {
      ...toFilters(values),
      ...(effort === undefined ? {} : { reasoning_effort: effort }),
    };
    const begin = async (client: Client): Promise<Job> => {
      const question = await readWordsOrInput(words, 'QUESTION', context);
      const model = values.model ?? (await readNames(client, context.signal)).research;
      return startResearch(client, { question, model, fields }, context.signal);
    };
    return async (client) => {
      const begun = id === undefined ? await begin(client) : await readJob(client, id, context.signal);
      if (id === undefined && !values['no-wait']) context.err.write(`Job ${begun.id}\n`);
      const job = values['no-wait'] ? begun : await wait(client, begun, context);
      return print(job, values.json, context);
    };
  },
});

/** Shows on a terminal how long it has taken; a log gets a line when the state changes. */
async function wait(client: Client, begun: Job, { err, clock, signal }: CommandContext): Promise<Job> {
  const waiting = createWaiting(err, clock);
  try {
    return await awaitJob(client, begun.id, {
      signal,
      onLook({ status }) {
        if (status === 'COMPLETED' || status === 'FAILED') return;
        waiting.update(`Research ${status === 'CREATED' ? 'waits for its turn' : 'is under way'}`);
      },
    });
  } catch (error) {
    if (signal.aborted) err.write(`\nIt goes on without you: nestor research --job ${begun.id}\n`);
    throw error;
  } finally {
    waiting.finish();
  }
}

function print(job: Job, isJson: boolean, context: CommandContext): number {
  const { id, status, createdAt, answer, errorMessage } = job;
  if (isJson) {
    const response = answer?.reply ?? null;
    printReply(context.out, { id, status, created_at: createdAt, response, error_message: errorMessage });
    return status === 'FAILED' ? exitCodes.failed : exitCodes.done;
  }
  if (status === 'FAILED') throw new ApiError(errorMessage ?? 'The research failed.');
  if (answer === null) {
    context.out.write(`${id}\n`);
    return exitCodes.done;
  }
  const text = toLines(withoutThought(answer.text));
  context.out.write(`${context.out.isTTY === true ? toWords(text) : text}\n`);
  printSources(answer.sources, context);
  return exitCodes.done;
}

function toWords(text: string): string {
  const plain = createPlainAnswer();
  return plain.write(text) + plain.end();
}

/** Reasoning models begin with their reasoning, which is not the report. */
function withoutThought(text: string): string {
  return text.replace(/^<think>[^]*?<\/think>\s*/, '');
}
