import { Fault } from '../../../../kernel/faults.ts';
import { createBatches } from '../../../../kernel/kit/batches.ts';
import { ownAccount } from '../../../../kernel/kit/caller.ts';
import { Shares } from '../../../../kernel/kit/shares.ts';
import { toEvaluationFault } from '../../local-models.ts';
import type { Model, ModelEvent } from '../../model.ts';
import { templateTraitsOf, prepare, promptOf, type PrepareDependencies } from './prepare.ts';
import { run, type RunOptions } from './run.ts';

interface LocalModelDependencies extends PrepareDependencies {
  readonly name: string;
  /** Most answers that are written or wait at a time; one account may have half of them. */
  readonly answersMax: number;
}

export function createModel(parts: LocalModelDependencies): Model {
  const { engine, name, contextTokensMax } = parts;
  const conversation = templateTraitsOf(engine);
  const places = new Shares(parts.answersMax);
  return {
    name,
    capabilities: {
      tools: conversation.calls !== null,
      jsonSchema: true,
      images: false,
      documents: false,
      reasoning: conversation.thought !== null,
      prefill: true,
      generates: true,
    },
    contextTokensMax,
    outputTokensMax: contextTokensMax,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const account = request.account ?? ownAccount;
      if (!places.take(account)) {
        throw new Fault('service_unavailable', 'The local model is busy.', { retryAfterMs: busyMs });
      }
      try {
        yield* write(await prepare(parts, conversation, request, signal), signal);
      } catch (error) {
        throw toEvaluationFault(error, signal, 'The local model could not evaluate.');
      } finally {
        places.give(account);
      }
    },
    async countTokens(request, signal) {
      signal.throwIfAborted();
      const { prompt } = await promptOf(engine, conversation, request, signal);
      return prompt.length;
    },
  };
}

/**
 * The events of one answer; the writing ends when the reader leaves. A slow reader gets larger batches; what waits is
 * bounded by the length of an answer.
 */
async function* write(answer: Omit<RunOptions, 'emit'>, signal: AbortSignal) {
  const leave = new AbortController();
  const { batches, push, end } = createBatches(addEvent);
  const emit = (events: readonly ModelEvent[]) => events.forEach(push);
  const written = run({ ...answer, emit }, AbortSignal.any([signal, leave.signal])).finally(end);
  // Awaited below; until then a failure must not count as unhandled.
  written.catch(() => {});
  try {
    yield* batches;
    await written;
  } finally {
    leave.abort();
  }
}

function addEvent(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1);
  const joins =
    last?.type === event.type && (event.type === 'text-delta' || event.type === 'reasoning-delta');
  if (joins && 'text' in last) events[events.length - 1] = { ...event, text: last.text + event.text };
  else events.push(event);
}

/** Wait that a busy model asks for; an answer takes seconds. Unit: ms. */
const busyMs = 2_000;
