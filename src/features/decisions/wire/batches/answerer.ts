import { Fault, toFault } from '../../../../kernel/faults.ts';
import { parseBody } from '../../../../kernel/http/body.ts';
import { toErrorBody } from '../../../../kernel/http/error-dialects.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import type { Clock } from '../../../../kernel/kit/clock.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { withDigits } from '../../../../kernel/kit/json-digits.ts';
import { parseWritten } from '../../../../kernel/kit/json-parse.ts';
import { runAtOnce, runInSlices } from '../../../../kernel/kit/slices.ts';
import { toUsageRow } from '../../../accounts/feature.ts';
import { saysLater, type RowAnswerer, type RowResult } from '../../batches/rows.ts';
import { ask, type NamedDecision } from '../../deciders/ask.ts';
import type { Decider } from '../../deciders/decider.ts';
import type { NormalizedQuestion, State } from '../../engine.ts';
import { readState } from '../../images.ts';
import type { BatchRow } from '../../store/batch-row.ts';
import { fromDecision, toQuestionsInSteps } from '../decisions/convert.ts';
import type { DecisionsRequest } from '../decisions/schema.ts';
import { acceptedNames, decisionBilling, toDecider } from '../deciders.ts';
import { createDeadlines, type Deadline } from '../../batches/deadlines.ts';
import type { BatchLine } from './schema.ts';

type Deciding = Pick<Services, 'decisions' | 'comparedDecisions' | 'deciders'>;
type Questions = DecisionsRequest['questions'];

interface AnswererOptions {
  readonly settings: Settings;
  readonly services: Deciding;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Operation of the rows of the ledger. */
const operation = 'createDecisionBatch';

/** Answers rows of a batch as `POST /v1/decisions` would, with the decider that its name stands for at this moment. */
export function createAnswerers(options: AnswererOptions) {
  return async (batch: BatchRow): Promise<RowAnswerer> => {
    const decider = await findDecider(batch, options);
    const asked = (batch.questions === null ? null : parseWritten(batch.questions)) as Questions | null;
    const own =
      asked === null ? null : { asked, questions: runAtOnce(toQuestionsInSteps({ questions: asked })) };
    const asking = decider === null ? null : { ...options, batch, decider, names: namesOf(decider) };
    const deadlineOf = createDeadlines(options.settings.decisions.timeoutMs, options.clock);
    return {
      atOnce: Math.max(1, ...(decider?.stages.map(({ engine }) => engine.statesAtOnce ?? 1) ?? [])),
      async answer(text, line, signal) {
        const row = readLine(text);
        try {
          if (row.keepDigits !== null) await row.keepDigits(signal);
          if (asking === null) throw new Fault('invalid_model', `Invalid model '${batch.model}'`);
          const questions = row.questions === null ? own : await toAsked(row.questions, signal);
          if (questions === null) throw new Fault('missing_field', 'Missing required field "questions"');
          return await answerRow(asking, questions, { row, line, signal, deadline: deadlineOf(signal) });
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof Fault && saysLater(error)) throw error;
          return toFailure(row, line, error, options);
        }
      },
      refuse: (text, line, fault) => toFailure(readLine(text), line, fault, options),
    };
  };
}

const toAsked = async (asked: Questions, signal: AbortSignal): Promise<AskedQuestions> => ({
  asked,
  questions: await runInSlices(toQuestionsInSteps({ questions: asked }), signal),
});

async function findDecider(
  { accountId, model }: BatchRow,
  { settings, services }: AnswererOptions,
): Promise<Decider | null> {
  if (acceptedNames(settings, 'decisions').has(model)) return toDecider(services, settings, model);
  try {
    return await services.deciders.stored.find(accountId, model);
  } catch (error) {
    // Its definition asks one that is gone: rows say so.
    if (error instanceof Fault && error.code === 'invalid_value') return null;
    throw error;
  }
}

interface ReadLine extends Pick<BatchLine, 'state'> {
  readonly questions: Questions | null;
  /** As they were sent, once their digits are kept. */
  readonly names: () => Readonly<Record<string, Json>>;
  readonly keepDigits: ((signal: AbortSignal) => Promise<void>) | null;
}

/** Escapes in names, which `parseBody` reads itself, and numbers with more digits than are kept. */
const needsCare = /\\|\d{16}/;

/** A line was checked when it was taken, so one without such is read in a third of the time. */
function readLine(text: string): ReadLine {
  const { value, keepDigits } = needsCare.test(text)
    ? parseBody(Buffer.from(text))
    : { value: JSON.parse(text) as JsonObject, keepDigits: null };
  const { state, questions } = value;
  return {
    state: state as BatchLine['state'],
    questions: isJsonObject(questions) ? (questions as unknown as Questions) : null,
    names: () => namesIn(withDigits(value)),
    keepDigits,
  };
}

function namesIn({ id, custom_id: customId }: JsonObject): Readonly<Record<string, Json>> {
  return {
    ...(id === undefined ? {} : { id }),
    ...(customId === undefined ? {} : { custom_id: customId }),
  };
}

/** What rows of a batch are asked with. */
interface Asking extends AnswererOptions {
  readonly batch: BatchRow;
  readonly decider: Decider;
  /** Of its engines. */
  readonly names: ReadonlySet<string>;
}

interface AskedQuestions {
  readonly asked: Questions;
  readonly questions: readonly NormalizedQuestion[];
}

interface AskedRow {
  readonly row: ReadLine;
  readonly line: number;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}

async function answerRow(
  asking: Asking,
  { asked, questions }: AskedQuestions,
  { row, line, signal, deadline }: AskedRow,
): Promise<RowResult> {
  const { settings, services, clock, batch, decider, names } = asking;
  const begunMs = clock.monotonic();
  const { accountId, keyId, id, model } = batch;
  const state = await readState(row.state, 'state', signal);
  const decision = await askInTime(asking, state, questions, { signal, deadline });
  if (isProvisional(names, decision)) throw new Fault('service_unavailable', 'The engine is being opened.');
  services.deciders.count(decision);
  const { answers, usage } = fromDecision({ model, state: row.state, questions: asked }, questions, decision);
  const billed = {
    requestId: `${id}-${line}`,
    operation,
    accountId,
    keyId,
    status: 200,
    durationMs: clock.monotonic() - begunMs,
    createdAtMs: clock.now(),
  };
  return {
    text: JSON.stringify({ line, ...row.names(), answers, usage }),
    usage: toUsageRow(billed, decisionBilling(settings, decider, decision)),
  };
}

async function askInTime(
  { settings, batch, decider }: Asking,
  state: State,
  questions: readonly NormalizedQuestion[],
  { signal, deadline }: Pick<AskedRow, 'signal' | 'deadline'>,
): Promise<NamedDecision> {
  // Shares of its own, so that nothing else that the account asks waits behind its rows.
  const options = { param: 'state', account: `${batch.accountId} batch`, maxError: null };
  try {
    return await ask(decider, settings.decisions, state, questions, deadline.signal, options);
  } catch (error) {
    throw deadline.isOver() && !signal.aborted ? new Fault('gateway_timeout') : error;
  }
}

const namesOf = ({ stages }: Decider): ReadonlySet<string> =>
  new Set(stages.flatMap(({ engine }) => engine.name.split(', ')));

/** Whether words answered for an engine that is being opened: nobody waits for a batch, so it waits. */
function isProvisional(names: ReadonlySet<string>, { engine }: NamedDecision): boolean {
  return !names.has(engine) && engine.split(', ').some((name) => !names.has(name));
}

function toFailure(
  { names }: ReadLine,
  line: number,
  error: unknown,
  { onError }: Pick<AnswererOptions, 'onError'>,
): RowResult {
  if (!(error instanceof Fault)) onError(error);
  const fault = toFault(error);
  return { text: JSON.stringify({ line, ...names(), ...toErrorBody('decisions', fault, '') }), usage: null };
}
