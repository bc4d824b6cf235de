import { createJobRecords, type JobRecord } from '../job-records.ts';
import { createJobAdministration } from '../store/jobs-administration.ts';
import { printJson, printRecords, printTable, toTime, type Column } from '../../../kernel/commands/print.ts';
import { takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import {
  readAll,
  storeCommand,
  sharedUsage,
  type StoreTools,
  type StoreValues,
  type StoreWork,
} from '../../accounts/feature.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

const usage = `nestor jobs: asynchronous chat completions of all accounts

  nestor jobs list                           every job that is kept, newest first
  nestor jobs retry ID                       queue one that failed once more
  nestor jobs cancel ID                      fail one that is not over; it is not billed

  nestor jobs list --status failed --account acme
  nestor jobs retry 5a1c3c9e-0f52-4c0a-8d8e-2f7f0e1a9b11

  --account ID          with list: jobs of one account
  --status STATUS       with list: created, in_progress, completed or failed
${sharedUsage}
See docs/guide/jobs.md.`;

const options = { account: { type: 'string' }, status: { type: 'string' } } as const;
const statuses = ['CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'] as const;
const verbs = ['list', 'retry', 'cancel'] as const;

type Values = StoreValues<typeof options>;

export const runJobs = storeCommand({
  name: 'jobs',
  usage,
  options,
  verbs,
  plan({ values, words }, context) {
    const [verb, rest] = takeVerb(words, verbs, 'list');
    if ((values.account ?? values.status) !== undefined && verb !== 'list')
      throw new UsageError('--account and --status belong to list.');
    return verb === 'list' ? list(rest, values, context) : change(verb, rest, values, context);
  },
});

const columns: readonly Column<JobRecord>[] = [
  { heading: 'ID', of: ({ id }) => id },
  { heading: 'ACCOUNT', of: ({ accountId }) => accountId },
  { heading: 'MODEL', of: ({ model }) => model },
  { heading: 'STATUS', of: ({ status }) => status },
  { heading: 'CREATED', of: ({ createdAtMs }) => toTime(createdAtMs) },
  { heading: 'ENDED', of: ({ endedAtMs }) => toTime(endedAtMs) },
  { heading: 'WAITS', isNumber: true, of: ({ waits }) => waits },
  { heading: 'ERROR', of: ({ errorMessage }) => errorMessage },
];

function recordsOf({ database }: StoreTools, { clock }: CommandContext) {
  return createJobRecords(createJobAdministration(database.db), clock);
}

function list(
  words: readonly string[],
  { account, status: word, json }: Values,
  context: CommandContext,
): StoreWork {
  takeWords(words, []);
  const status = statuses.find((one) => one === word?.toUpperCase());
  if (word !== undefined && status === undefined)
    throw new UsageError('STATUS is created, in_progress, completed or failed.');
  return async (tools) => {
    const jobs = recordsOf(tools, context);
    const found = await readAll((page) => jobs.list({ accountId: account, status }, page));
    printRecords(context.out, found, columns, json);
  };
}

function change(
  verb: 'retry' | 'cancel',
  words: readonly string[],
  { json }: Values,
  context: CommandContext,
): StoreWork {
  const [id] = takeWords(words, ['ID']);
  return async (tools) => {
    const job = await recordsOf(tools, context)[verb](id);
    if (json) printJson(context.out, job);
    else printTable(context.out, [job], columns);
  };
}
