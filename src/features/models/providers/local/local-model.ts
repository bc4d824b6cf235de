import { Fault } from '../../../../kernel/faults.ts';
import { ownAccount } from '../../../../kernel/kit/caller.ts';
import { Shares } from '../../../../kernel/kit/shares.ts';
import type { Model, ModelEvent } from '../../model.ts';
import { templateTraitsOf, prepare, promptOf, type PrepareDependencies } from './prepare.ts';
import { run, type RunOptions } from './run.ts';

interface LocalModelDependencies extends PrepareDependencies {
  readonly name: string;
  /** Most answers that are written or wait at a time; one account may have half of them. */
  readonly answersMax: number;
}

/** A model in this process with the interface of all models. */
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
        throw faultOf(error, signal);
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

/** The events of one answer; the writing ends when the reader leaves. */
async function* write(
  answer: Omit<RunOptions, 'emit'>,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], void> {
  const leave = new AbortController();
  const queue = new EventQueue();
  const options = { ...answer, emit: (events: readonly ModelEvent[]) => queue.push(events) };
  const written = run(options, AbortSignal.any([signal, leave.signal])).finally(() => queue.end());
  // Awaited below; until then a failure must not count as unhandled.
  written.catch(() => {});
  try {
    yield* queue.batches();
    await written;
  } finally {
    leave.abort();
  }
}

/** Wait that a busy model asks for; an answer takes seconds. Unit: ms. */
const busyMs = 2_000;

/** Errors that are neither Faults nor aborts come from native code, or from a model that was closed meanwhile. */
function faultOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof Fault || signal.aborted) return error;
  return new Fault('service_unavailable', 'The local model could not evaluate.', { cause: error });
}

/**
 * Events between writer and reader. A slow reader gets larger batches; the queue is bounded by the length of an answer.
 */
class EventQueue {
  #waiting: ModelEvent[] = [];
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  push(events: readonly ModelEvent[]): void {
    for (const event of events) this.#add(event);
    if (events.length > 0) this.#wake.resolve();
  }

  /** No more events will come. */
  end(): void {
    this.#isOver = true;
    this.#wake.resolve();
  }

  /** Yields the waiting events whenever there are some, up to the end. */
  async *batches(): AsyncGenerator<readonly ModelEvent[], void> {
    while (!this.#isOver || this.#waiting.length > 0) {
      await this.#wake.promise;
      if (!this.#isOver) this.#wake = Promise.withResolvers();
      const batch = this.#waiting.splice(0);
      if (batch.length > 0) yield batch;
    }
  }

  /** Joins a text with the text before it. */
  #add(event: ModelEvent): void {
    const last = this.#waiting.at(-1);
    const joins =
      last?.type === event.type && (event.type === 'text-delta' || event.type === 'reasoning-delta');
    if (joins && 'text' in last)
      this.#waiting[this.#waiting.length - 1] = { ...event, text: last.text + event.text };
    else this.#waiting.push(event);
  }
}
