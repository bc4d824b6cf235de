import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { retrying } from '../../../../kernel/kit/retry.ts';
import type { Capabilities, Model, ModelEvent, ModelRequest } from '../../model.ts';
import type { ProviderTimeouts, RemoteDependencies } from '../../remote-server.ts';
import { countRequestTokens, estimateRequestTokens } from '../../token-estimate.ts';
import { toPackageFailure } from './failure.ts';
import type { LanguageModel } from './load.ts';
import { toCallOptions, toOlderOptions } from './request.ts';
import { PartReader } from './response.ts';
import { StopSequenceFilter } from '../../stop-sequence-filter.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { raceSignal } from '../../../../kernel/kit/abort.ts';

export interface ModelDependencies extends ProviderTimeouts, Required<Omit<RemoteDependencies, 'outbound'>> {
  readonly documents: boolean;
}

/** The package itself retries nothing. */
const retryPolicy = { retriesMax: 2, baseMs: 200, capMs: 1_000, retryAfterMaxMs: 2_000 };

type Batch = readonly ModelEvent[];

export class BridgedModel implements Model {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly contextTokensMax = null;
  readonly outputTokensMax = null;
  readonly countTokens = countRequestTokens;
  readonly #made: LanguageModel;
  readonly #dependencies: ModelDependencies;

  constructor(name: string, made: LanguageModel, dependencies: ModelDependencies) {
    this.name = name;
    // The interface reports none of these but files. The package refuses what its model cannot do.
    this.capabilities = {
      tools: true,
      jsonSchema: false,
      images: true,
      documents: dependencies.documents,
      reasoning: true,
      prefill: false,
      generates: true,
    };
    this.#made = made;
    this.#dependencies = dependencies;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<Batch> {
    signal.throwIfAborted();
    const { timeoutMs, totalTimeoutMs } = this.#dependencies;
    const silence = createSilence(timeoutMs, totalTimeoutMs, signal);
    const reader = new PartReader(this.#dependencies.ids);
    const filter = new StopSequenceFilter(request.stop);
    try {
      const stream = await silence.wait(this.#begin(request, silence.signal));
      yield* this.#read(stream, reader, filter, silence);
      yield filter.finish(reader, () => estimateRequestTokens(request));
    } catch (error) {
      signal.throwIfAborted();
      throw toPackageFailure(silence.fault ?? error, filter.emitted, this.#dependencies.clock.now()).fault;
    } finally {
      // The answer stops when its reader does.
      silence.leave();
    }
  }

  /** All attempts together have the time of one wait. Throws what the package threw. */
  async #begin(request: ModelRequest, signal: AbortSignal): Promise<ReadableStream<unknown>> {
    const { clock, timeoutMs } = this.#dependencies;
    const owner = this.#made.provider.split('.')[0] ?? '';
    const options = { ...toCallOptions(request, owner), abortSignal: signal };
    const outcome = await retrying(
      () => this.#attempt(options),
      (outcome) => (outcome.ok ? 'done' : outcome.failure.retry),
      retryPolicy,
      this.#dependencies,
      { deadlineAt: clock.monotonic() + timeoutMs, signal },
    );
    if (!outcome.ok) throw outcome.thrown;
    return outcome.stream;
  }

  async #attempt(options: LanguageModelV4CallOptions) {
    const made = this.#made;
    try {
      const { stream } =
        made.specificationVersion === 'v4'
          ? await made.doStream(options)
          : await made.doStream(toOlderOptions(options));
      return { ok: true, stream: stream as ReadableStream<unknown> } as const;
    } catch (thrown) {
      const failure = toPackageFailure(thrown, false, this.#dependencies.clock.now());
      return { ok: false, thrown, failure } as const;
    }
  }

  async *#read(
    stream: ReadableStream<unknown>,
    reader: PartReader,
    filter: StopSequenceFilter,
    silence: Silence,
  ): AsyncGenerator<Batch> {
    const source = stream.getReader();
    try {
      while (filter.stop === null) {
        const { done, value } = await silence.wait(source.read());
        if (done) return;
        if (isAnswered(value)) silence.begin();
        const batch = filter.push(reader.read(value));
        if (batch.length > 0) yield batch;
      }
    } finally {
      // Not awaited: a package may take its time, and nothing more is read.
      source.cancel().catch(() => {});
    }
  }
}

/** Packages report the start of a stream before the service has answered. */
function isAnswered(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'type' in part && part.type !== 'stream-start';
}

/** Ends waits that take too long, and with them the work that they wait for. */
type Silence = ReturnType<typeof createSilence>;

/** Bounds each wait by `silenceMs` and all by `totalMs`. After the first part a slow reader does not count. */
function createSilence(silenceMs: number, totalMs: number, caller: AbortSignal) {
  const leaving = new AbortController();
  const signal = AbortSignal.any([caller, leaving.signal]);
  let fault: Fault | null = null;
  let hasBegun = false;
  const expire = () => {
    fault = new Fault('gateway_timeout', 'The model backend did not answer in time.', { away: !hasBegun });
    leaving.abort(fault);
  };
  const first = setTimeout(expire, silenceMs);
  const total = setTimeout(expire, totalMs);
  return {
    /** Aborts with the caller, after a wait that took too long, and when it is left. */
    signal,
    /** Set once a wait took too long. */
    get fault() {
      return fault;
    },
    /** Waits within the bounds, whether the work heeds the signal or not. */
    async wait<Value>(work: Promise<Value>): Promise<Value> {
      const timer = hasBegun ? setTimeout(expire, silenceMs) : undefined;
      try {
        return await raceSignal(work, signal);
      } finally {
        clearTimeout(timer);
      }
    },
    /** Called for the first part: from now on each wait has a bound of its own. */
    begin() {
      hasBegun = true;
      clearTimeout(first);
    },
    leave() {
      clearTimeout(first);
      clearTimeout(total);
      leaving.abort(new Error('left'));
    },
  };
}
