import { Fault } from '../../../../kernel/faults.ts';
import { ownAccount } from '../../../../kernel/kit/caller.ts';
import { Shares } from '../../../../kernel/kit/shares.ts';
import type { Model, ModelEvent } from '../../model.ts';
import { EventQueue } from './event-queue.ts';
import { conversationPartsOf, prepare, promptOf, type PrepareParts } from './prepare.ts';
import { run, type RunOptions } from './run.ts';

export interface LocalModelParts extends PrepareParts {
  readonly name: string;
  /** Most answers that are written or wait at a time; half of them of one account. */
  readonly answersMax: number;
}

/** The model of a file as any other model. */
export function createModel(parts: LocalModelParts): Model {
  const { engine, name, contextTokensMax } = parts;
  const conversation = conversationPartsOf(engine);
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
        throw toldOf(error, signal);
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

/** The events of one answer; a reader who leaves ends the writing. */
async function* write(
  answer: Omit<RunOptions, 'tell'>,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], void> {
  const leave = new AbortController();
  const queue = new EventQueue();
  const options = { ...answer, tell: (events: readonly ModelEvent[]) => queue.push(events) };
  const written = run(options, AbortSignal.any([signal, leave.signal])).finally(() => queue.end());
  // It is awaited below; until then a failure must not count as unheard.
  written.catch(() => {});
  try {
    yield* queue.batches();
    await written;
  } finally {
    leave.abort();
  }
}

/** Told to those who find it busy; an answer takes seconds. Unit: ms. */
const busyMs = 2_000;

/** What is neither a Fault nor an abort came from native code, or from a model that was closed meanwhile. */
function toldOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof Fault || signal.aborted) return error;
  return new Fault('service_unavailable', 'The local model could not evaluate.', { cause: error });
}
