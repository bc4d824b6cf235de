import { takeWords } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printTable, type Column } from '../../../kernel/commands/print.ts';
import { createWaiting } from '../../../kernel/commands/waiting.ts';
import { numberAt, objectsAt, textAt } from '../../../kernel/kit/json-path.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { awaitFit, deciderPath, startFit, type Fit } from '../fits.ts';
import { printReply, toCall, type ClientWork } from './client-command.ts';
import { toLine } from './client-paint.ts';

export interface FitOptions {
  readonly json: boolean;
  readonly 'no-wait': boolean;
  readonly 'max-error'?: string | undefined;
}

/** `nestor deciders fit`: it ends with 1 where nothing was better, as `nestor learn` does. */
export function fit(words: readonly string[], options: FitOptions, context: CommandContext): ClientWork {
  const [name] = takeWords(words, ['NAME']);
  const { out, err, clock, signal } = context;
  const bound = options['max-error'];
  // The server says which numbers it takes.
  const asked = bound === undefined ? {} : { max_error: Number(bound) };
  if (Number.isNaN(asked.max_error)) throw new UsageError('--max-error must be a number between 0 and 1.');
  return async (client) => {
    const begun = await startFit(client, name, asked, signal);
    if (options['no-wait']) {
      if (options.json) printReply(out, begun.reply);
      else out.write(`${begun.id}\n`);
      return exitCodes.done;
    }
    err.write(`Fit ${begun.id}\n`);
    const waiting = createWaiting(err, clock);
    const onLook = () => waiting.update('Learning');
    const ended = await awaitFit(client, name, begun, { signal, onLook })
      .finally(() => waiting.finish())
      .catch((error: unknown) => {
        if (signal.aborted) err.write(`It goes on without you: nestor deciders fits ${toLine(name)}\n`);
        throw error;
      });
    if (options.json) printReply(out, ended.reply);
    else printFit(ended, context);
    return ended.state === 'taken' ? exitCodes.done : exitCodes.failed;
  };
}

const questionColumns: readonly Column<JsonObject>[] = [
  { heading: 'QUESTION', of: nameOf },
  { heading: 'EXAMPLES', isNumber: true, of: (one) => numberAt(one, 'examples') },
  { heading: 'ACCURACY BEFORE', isNumber: true, of: (one) => figureAt(one, 'before', 'accuracy') },
  { heading: 'AFTER', isNumber: true, of: (one) => figureAt(one, 'after', 'accuracy') },
  { heading: 'NLL BEFORE', isNumber: true, of: (one) => figureAt(one, 'before', 'nll') },
  { heading: 'AFTER', isNumber: true, of: (one) => figureAt(one, 'after', 'nll') },
  { heading: 'ECE AFTER', isNumber: true, of: (one) => figureAt(one, 'held_out', 'ece') },
  { heading: 'TAKEN', of: (one) => textAt(one, 'taken') ?? 'no' },
];

function printFit({ state, error, reply }: Fit, { out }: CommandContext): void {
  const questions = objectsAt(reply, 'report', 'questions');
  if (questions.length > 0) printTable(out, questions, questionColumns);
  for (const question of questions) printLabels(question, out);
  const bounds = questions.filter((one) => isJsonObject(one['bound']));
  if (bounds.length > 0) printTable(out, bounds, boundColumns);
  out.write(`${outcomes[state] ?? state}${error === null ? '' : `: ${toLine(error)}`}\n`);
}

const boundColumns: readonly Column<JsonObject>[] = [
  { heading: 'QUESTION', of: nameOf },
  { heading: 'AT MOST WRONG', isNumber: true, of: (one) => numberAt(one, 'bound', 'max_error') },
  {
    heading: 'CONFIDENCE',
    of: (one) => {
      const from = numberAt(one, 'bound', 'threshold');
      return from === null ? 'never enough' : `from ${from}`;
    },
  },
  { heading: 'ANSWERED', isNumber: true, of: (one) => numberAt(one, 'bound', 'answered') },
  { heading: 'WRONG', isNumber: true, of: (one) => numberAt(one, 'bound', 'wrong') },
  { heading: 'EXAMPLES NEEDED', isNumber: true, of: (one) => numberAt(one, 'bound', 'examples_needed') },
];

/** Answers of a question that are told: the weakest. */
const labelsMax = 10;

const labelColumns: readonly Column<JsonObject>[] = [
  { heading: 'ANSWER', of: (one) => short(textAt(one, 'name')) },
  { heading: 'EXAMPLES', isNumber: true, of: (one) => numberAt(one, 'examples') },
  { heading: 'PRECISION', isNumber: true, of: (one) => numberAt(one, 'precision')?.toFixed(3) ?? '–' },
  { heading: 'RECALL', isNumber: true, of: (one) => numberAt(one, 'recall')?.toFixed(3) ?? '–' },
];

const pairColumns: readonly Column<JsonObject>[] = [
  { heading: 'RIGHT', of: (one) => short(textAt(one, 'right')) },
  { heading: 'ANSWERED', of: (one) => short(textAt(one, 'answered')) },
  { heading: 'EXAMPLES', isNumber: true, of: (one) => numberAt(one, 'examples') },
];

/** What is answered worst, and what is taken for what. */
function printLabels(question: JsonObject, out: CommandContext['out']): void {
  const weakness = (one: JsonObject) =>
    Math.min(numberAt(one, 'precision') ?? 1, numberAt(one, 'recall') ?? 1);
  const labels = objectsAt(question, 'labels');
  const weakest = labels.toSorted((one, other) => weakness(one) - weakness(other)).slice(0, labelsMax);
  const pairs = objectsAt(question, 'confused');
  for (const [rows, columns] of [[weakest, labelColumns] as const, [pairs, pairColumns] as const]) {
    if (rows.length === 0) continue;
    out.write(`\n${nameOf(question)}\n`);
    printTable(out, rows, columns);
  }
  if (labels.length > 0) out.write('\n');
}

const short = (name: string | null): string => toLine((name ?? '').slice(0, 40));

const outcomes: Readonly<Record<string, string>> = {
  taken: 'Taken, and in use',
  not_better: 'Nothing was surely better; the decider answers as before',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const fitColumns: readonly Column<JsonObject>[] = [
  { heading: 'ID', of: (one) => textAt(one, 'id') },
  { heading: 'STATE', of: (one) => textAt(one, 'state') },
  { heading: 'IN USE', of: (one) => (one['in_use'] === true ? 'yes' : null) },
  { heading: 'EXAMPLES', isNumber: true, of: (one) => numberAt(one, 'report', 'examples') },
  { heading: 'CREATED', of: (one) => textAt(one, 'created_at') },
];

/** `nestor deciders fits`. */
export function fits(words: readonly string[], { json }: FitOptions, context: CommandContext): ClientWork {
  const [name] = takeWords(words, ['NAME']);
  return async (client) => {
    const reply = await client.call(toCall('GET', `${deciderPath(name)}/fits`, context));
    if (json) printReply(context.out, reply);
    else printTable(context.out, objectsAt(reply, 'fits'), fitColumns);
  };
}

/** `nestor deciders rollback`. */
export function rollback(
  words: readonly string[],
  { json }: FitOptions,
  context: CommandContext,
): ClientWork {
  const [name] = takeWords(words, ['NAME']);
  return async (client) => {
    const reply = await client.call(toCall('POST', `${deciderPath(name)}/rollback`, context));
    const used = textAt(reply, 'fit');
    if (json) printReply(context.out, reply);
    else context.out.write(`${toLine(name)} answers with ${used ?? 'nothing that was learned'}\n`);
  };
}

function nameOf(question: JsonObject): string {
  const text = textAt(question, 'instructions') ?? '';
  return toLine(text === '' ? (textAt(question, 'question') ?? '').slice(0, 8) : text.slice(0, 40));
}

function figureAt(question: JsonObject, when: string, figure: string): string {
  return numberAt(question, when, figure)?.toFixed(3) ?? '–';
}
