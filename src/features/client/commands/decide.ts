import type { Client } from '../open-client.ts';
import { decide, type Share, type Verdict } from '../decide.ts';
import { readNames } from '../names.ts';
import { parseWritten } from '../../../kernel/kit/json-parse.ts';
import type { Json, JsonObject } from '../../../kernel/kit/json.ts';
import {
  clientCommand,
  clientUsage,
  printReply,
  readBytes,
  readWordsOrInput,
  type ClientValues,
} from './client-command.ts';
import { createPaint, toBar, toLine, toWidth, type Paint } from './client-paint.ts';
import { decideBatch } from './decide-batch.ts';
import { decideCsv } from './decide-csv.ts';
import { toQuestions } from './decide-questions.ts';
import { texts, toWhole } from '../../../kernel/commands/command-line.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor decide: questions about a text, answered with probabilities

  nestor decide STATE --noul QUESTION          yes or no
  nestor decide STATE --choice NAME=a,b,c      one of several options
  nestor decide STATE --score NAME=low,…,high  a place on a scale
  nestor decide --csv FILE --column NAME --out FILE …   the same for every row of a table
  nestor decide --batch FILE --out FILE …      the same for every row of a file of JSON lines, on the server

  nestor decide "I want my money back" --noul "Is a refund asked for?"
  nestor decide "The app crashes" --choice topic=billing,technical,other --score anger=calm,annoyed,furious
  nestor decide --file mail.txt --noul "spam=Is this spam?" --json
  cat mail.txt | nestor decide --questions triage.yaml
  nestor decide --csv mails.csv --column body --out triaged.csv --choice topic=billing,technical,other

STATE is what the questions are about; without it, standard input is read. Any number of questions may be asked at once.

  --noul QUESTION       yes or no; NAME=QUESTION gives it a name
  --choice NAME=OPTIONS options with commas, a JSON list, or a JSON object of option to description
  --score NAME=LEVELS   levels with commas or a JSON list, the lowest first
  --about NAME=TEXT     what the choice or score NAME asks
  --questions FILE      questions by name in JSON or YAML, as POST /v1/decisions takes them
  --file FILE           the state from a file; of a .json file the state is the data in it
  --model NAME          a decision model (default: the server's own)
  --csv FILE            answer for every row of a table with a header
  --column NAME         column that is the state; several are given together, by name
  --out FILE            where the table goes, with a column for each answer and its confidence, or results of a batch
  --concurrency N       rows under way at once (default 4)
  --batch FILE          send a file of rows, wait and write their results
  --no-wait             only send it and print the id of the batch
  --job ID              come back to a batch that was sent before
${clientUsage}

A table that was broken off goes on where it stopped when the same command is given again.
See docs/guide/decisions.md.`;

const many = { type: 'string', multiple: true } as const;
const options = {
  noul: many,
  choice: many,
  score: many,
  about: many,
  column: many,
  ...texts('questions', 'file', 'model', 'csv', 'out', 'concurrency', 'batch', 'job'),
  'no-wait': { type: 'boolean', default: false },
} as const;

type Values = ClientValues<typeof options>;

export const runDecide = clientCommand({
  name: 'decide',
  usage,
  options,
  plan({ values, words }, context) {
    const file = values.questions === undefined ? null : readText(values.questions, context);
    if (values.batch !== undefined || values.job !== undefined)
      return planBatch(values, words, file, context);
    if (values['no-wait']) throw new UsageError('--no-wait belongs to --batch.');
    const questions = toQuestions(values, file);
    if (values.csv !== undefined) return planCsv(values.csv, questions, { values, words }, context);
    for (const name of ['column', 'out', 'concurrency'] as const) {
      if (values[name] !== undefined) throw new UsageError(`--${name} belongs to --csv.`);
    }
    if (values.file !== undefined && words.length > 0) throw new UsageError('Give either STATE or --file.');
    return async (client) => {
      const { out, signal, isPlain } = context;
      const state = await readState(values.file, words, context);
      const model = values.model ?? (await readNames(client, signal)).decider;
      const { verdicts, reply } = await decide(client, { model, state, questions }, signal);
      // Some terminals say that they have 0 columns.
      const layout = { paint: createPaint(out, isPlain), columns: out.columns || 80 };
      const blocks = [...verdicts].map(([name, verdict]) => toBlock(name, verdict, layout));
      if (values.json) printReply(out, reply);
      else out.write(`${blocks.join('\n\n')}\n`);
    };
  },
});

const readText = (path: string, context: CommandContext): string => readBytes(path, context).toString('utf8');

async function readState(
  file: string | undefined,
  words: readonly string[],
  context: CommandContext,
): Promise<Json> {
  if (file === undefined) return readWordsOrInput(words, 'STATE', context);
  const text = readText(file, context);
  if (!file.endsWith('.json')) return text;
  try {
    return parseWritten(text);
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
}

function planCsv(
  csv: string,
  questions: JsonObject,
  { values, words }: { readonly values: Values; readonly words: readonly string[] },
  context: CommandContext,
) {
  if (words.length > 0 || values.file !== undefined) throw new UsageError('--csv takes the place of STATE.');
  if (values.column === undefined) throw new UsageError('--column is missing: which column is the state?');
  if (values.out === undefined) throw new UsageError('--out is missing: where does the table go?');
  const concurrency = toWhole('--concurrency', values.concurrency) ?? 4;
  if (concurrency > 64) throw new UsageError('--concurrency is at most 64.');
  const { column: columns, out, model: given, json } = values;
  return async (client: Client) => {
    const model = given ?? (await readNames(client, context.signal)).decider;
    return decideCsv(client, { csv, columns, out, questions, model, concurrency, json }, context);
  };
}

/** Rows may have questions of their own, so that none has to be given. */
function planBatch(values: Values, words: readonly string[], file: string | null, context: CommandContext) {
  const { batch, job: id, csv, out, model, json } = values;
  const others = [csv, values.file, values.column, values.concurrency];
  if (words.length > 0 || others.some((one) => one !== undefined))
    throw new UsageError('--batch and --job take the place of STATE, --file and --csv.');
  if (batch !== undefined && id !== undefined) throw new UsageError('Give either --batch or --job.');
  const given = [values.noul, values.choice, values.score, values.about, values.questions];
  const hasQuestions = given.some((one) => one !== undefined);
  if (id !== undefined && hasQuestions) throw new UsageError('The questions of --job were sent with it.');
  const questions = hasQuestions ? toQuestions(values, file) : null;
  const asked = { file: batch, id, out, questions, model, waits: !values['no-wait'], json };
  return (client: Client) => decideBatch(client, asked, context);
}

interface Layout {
  readonly paint: Paint;
  /** Characters of a line. */
  readonly columns: number;
}

const nameWidthMax = 28;
const barWidthMax = 40;

/** The answer to one question as a line and bars. */
function toBlock(name: string, verdict: Verdict, layout: Layout): string {
  const { paint } = layout;
  const title = paint.bold(toLine(name));
  switch (verdict.type) {
    case 'noul': {
      const { probability } = verdict;
      const shares = [
        { name: 'yes', probability },
        { name: 'no', probability: 1 - probability },
      ];
      return `${title}  ${probability >= 0.5 ? 'yes' : 'no'}\n${toBars(shares, layout)}`;
    }
    case 'choice':
    case 'score': {
      const { confidence, probabilities } = verdict;
      const found =
        verdict.type === 'choice'
          ? toLine(verdict.choice)
          : `${verdict.score.toFixed(2)} of ${Math.max(0, probabilities.length - 1)}`;
      const sure = paint.faint(`(confidence ${confidence.toFixed(2)})`);
      return `${title}  ${found} ${sure}\n${toBars(probabilities, layout)}`;
    }
  }
}

function toBars(shares: readonly Share[], { paint, columns }: Layout): string {
  const names = shares.map(({ name }) => toWidth(toLine(name), nameWidthMax));
  const width = Math.max(...names.map((name) => [...name].length), 0);
  const barWidth = Math.max(8, Math.min(barWidthMax, columns - width - 12));
  const best = Math.max(...shares.map(({ probability }) => probability));
  return shares
    .map(({ probability }, index) => {
      const name = names[index] ?? '';
      const bar = toBar(probability, barWidth);
      const padded = name + ' '.repeat(width - [...name].length);
      return `  ${padded}  ${probability === best ? paint.good(bar) : paint.faint(bar)}  ${probability.toFixed(3)}`;
    })
    .join('\n');
}
