import { withoutEndSlashes } from '../../kernel/kit/text.ts';
import type { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { toFailure } from '../../kernel/kit/call-failure.ts';
import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { openOutbound, type Outbound } from '../../kernel/kit/outbound.ts';
import type { OutboundOutcome, OutboundStream } from '../../kernel/kit/outbound-request.ts';
import { retrying, type RetryVerdict } from '../../kernel/kit/retry.ts';
import { toTrial, type Trial } from '../../kernel/kit/trial.ts';
import type { OfferedModel, Provider } from './model.ts';
import { isOfUse, toFault, type Failed } from './upstream-fault.ts';

export interface ProviderTimeouts {
  /** Longest wait for the first event of an answer, all attempts together, and between any two events. Unit: ms. */
  readonly timeoutMs: number;
  /** Longest duration of an answer. Unit: ms. */
  readonly totalTimeoutMs: number;
}

export interface RemoteOptions extends ProviderTimeouts {
  readonly name: string;
  /** With its version: `https://api.openai.com/v1`. A query is sent with every request. */
  readonly baseUrl: string;
  readonly key: string | null;
  /** Sent with every request; they win over the headers of the provider. */
  readonly headers: Readonly<Record<string, string>>;
  /** `*` offers what the server lists; a list offers exactly these. */
  readonly models: '*' | readonly string[];
}

export interface RemoteDependencies {
  readonly clock: Clock;
  /** Ids for calls that the server sends without one. */
  readonly ids: Ids;
  /** In [0, 1). Spreads retries; no answer depends on it. */
  readonly random?: () => number;
  /** Closed by its owner; without it the provider opens and closes one of its own. */
  readonly outbound?: Outbound;
}

export interface Wire {
  /** Path of the operation that answers, below the base address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Statuses with which a request is refused that may succeed in another form. */
  readonly refusals: readonly number[];
  /** How often one request is rewritten after a refusal. */
  readonly rewritesMax: number;
  /** Whether a failure with this body is final, although its status asks for another attempt. */
  readonly isFinal?: (body: Json | null) => boolean;
}

/** Only before the first byte. A server that asks for a longer wait is not waited for: another backend may be free. */
const retryPolicy = { retriesMax: 2, baseMs: 200, capMs: 1_000, retryAfterMaxMs: 2_000 };
/** OpenRouter lists some 400 models in 1 MB. */
const responseBytesMax = 16_777_216;
/** An event for each of 131,072 tokens is some 40 MB. */
const streamBytesMax = 134_217_728;

type Headers = Readonly<Record<string, string>>;

/** A server that answers with streams. `Known` is what refusals have shown about a model, cached by its name. */
export class RemoteServer<Known> {
  readonly baseUrl: string;
  readonly #options: RemoteOptions;
  readonly #wire: Wire;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #outbound: Outbound;
  readonly #isOwner: boolean;
  readonly #compatibility = new Map<string, Known>();
  #isUp = true;
  #lastList: Trial | null = null;

  constructor(
    options: RemoteOptions,
    { clock, random = Math.random, outbound }: Omit<RemoteDependencies, 'ids'>,
    wire: Wire,
  ) {
    this.baseUrl = options.baseUrl;
    this.#options = options;
    this.#wire = wire;
    this.#url = endpointOf(options.baseUrl, wire.path);
    this.#clock = clock;
    this.#random = random;
    this.#isOwner = outbound === undefined;
    this.#outbound = outbound ?? openOutbound({ responseBytesMax, streamBytesMax, connectionsMax: 1_024 });
  }

  /** Health by the last list or answer. One request that fails shows nothing about the server. */
  health(): 'ok' | 'down' {
    return this.#isUp ? 'ok' : 'down';
  }

  report(isUp: boolean): void {
    this.#isUp = isUp;
  }

  /** A server without a list of models, or with none for this key, is up all the same if the operator named its models. */
  reportUnlisted(outcome: Failed): void {
    const isWithheld = outcome.failure === 'status' && [403, 404, 405].includes(outcome.status ?? 0);
    this.report((this.#options.models !== '*' && isWithheld) || isOfUse(outcome));
  }

  faultOf(outcome: Failed): Fault {
    return toFault(outcome, this.#clock.now());
  }

  known(model: string): Known | undefined {
    return this.#compatibility.get(model);
  }

  /** Asks for a list, and remembers what came of it. Rejects with the signal's reason. */
  async list(url: string, timeoutMs: number, signal: AbortSignal): Promise<OutboundOutcome> {
    const startedMs = this.#clock.monotonic();
    const outcome = await this.call(url, null, timeoutMs, signal);
    this.#lastList = toTrial(outcome, this.#clock.monotonic() - startedMs);
    return outcome;
  }

  lastList(): Trial | null {
    return this.#lastList;
  }

  /** Sends a request other than for an answer: a GET, or a POST with `json`. Rejects with the signal's reason. */
  call(url: string, json: string | null, timeoutMs: number, signal: AbortSignal): Promise<OutboundOutcome> {
    const { headers } = this.#wire;
    const method = json === null ? 'GET' : 'POST';
    return this.#outbound.call({ method, url, headers, ...(json !== null && { json }), timeoutMs, signal });
  }

  /**
   * Begins an answer. A refused request is rewritten if `rewrite` recognizes the refusal; it returns null otherwise.
   * Headers of a request stand under those of the wire.
   * Throws Fault; rejects with the signal's reason.
   */
  async ask<Request extends { readonly body: JsonObject }>(
    model: string,
    none: Known,
    build: (known: Known) => Request,
    rewrite: (refusal: Json | null, request: Request, known: Known) => Known | null,
    signal: AbortSignal,
    headersOf: (request: Request) => Headers | null = () => null,
  ) {
    const { refusals, rewritesMax } = this.#wire;
    const deadlineAt = this.#clock.monotonic() + this.#options.timeoutMs;
    let known = this.known(model) ?? none;
    for (let rewrites = 0; ; rewrites++) {
      const request = build(known);
      const outcome = await this.#send(request.body, headersOf(request), deadlineAt, signal);
      if (outcome.ok) {
        this.#isUp = true;
        // Cached only after a success: a refusal may quote what a caller wrote.
        if (rewrites > 0) this.#compatibility.set(model, known);
        return { request, chunks: outcome.chunks, progress: outcome.progress };
      }
      const mayRewrite = rewrites < rewritesMax && refusals.includes(outcome.status ?? 0);
      const next = mayRewrite ? rewrite(outcome.body, request, known) : null;
      if (next === null) throw this.faultOf(outcome);
      known = next;
    }
  }

  async close(): Promise<void> {
    if (this.#isOwner) await this.#outbound.close();
  }

  #send(
    body: JsonObject,
    own: Headers | null,
    deadlineAt: number,
    signal: AbortSignal,
  ): Promise<OutboundStream> {
    const { timeoutMs, totalTimeoutMs } = this.#options;
    const headers = own === null ? this.#wire.headers : { ...own, ...this.#wire.headers };
    const json = JSON.stringify(body);
    const startedAt = deadlineAt - timeoutMs;
    return retrying(
      () => {
        const elapsedMs = this.#clock.monotonic() - startedAt;
        return this.#outbound.open({
          method: 'POST',
          url: this.#url,
          headers,
          json,
          signal,
          timeoutMs: Math.max(1, timeoutMs - elapsedMs),
          silenceMs: timeoutMs,
          totalMs: Math.max(1, totalTimeoutMs - elapsedMs),
        });
      },
      (outcome) => this.#judge(outcome),
      retryPolicy,
      { clock: this.#clock, random: this.#random },
      { deadlineAt, signal },
    );
  }

  #judge(outcome: OutboundStream): RetryVerdict {
    if (outcome.ok || this.#wire.isFinal?.(outcome.body) === true) return 'done';
    const { retryable, retryAfterMs } = toFailure(outcome, this.#clock.now());
    return retryable ? { afterMs: retryAfterMs } : 'done';
  }
}

/** The address of an operation below a base address, whose query, if any, stays: Azure keeps `api-version` there. */
export function endpointOf(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  const [name, query = ''] = path.split('?', 2);
  url.pathname = `${withoutEndSlashes(url.pathname)}${name}`;
  for (const [field, value] of new URLSearchParams(query)) url.searchParams.set(field, value);
  url.hash = '';
  return url.href;
}

/** Parts of a provider that depend on its wire. `Listed` is a model in the list of a server. */
interface RemoteWire<Listed> {
  readonly type: string;
  readonly server: Pick<RemoteServer<unknown>, 'health' | 'close' | 'lastList'>;
  /** A model that the operator named and the server does not list. */
  readonly unlisted: (name: string) => Listed;
  readonly toOffered: (listed: Listed) => OfferedModel;
  /** The server's list; null where nothing new is known. */
  readonly list: (signal: AbortSignal) => Promise<readonly Listed[] | null>;
}

/** Nothing is requested before `refresh`: a configured list is offered from the start, with what its names imply. */
export function createRemoteProvider<Listed extends { readonly name: string }>(
  name: string,
  wanted: RemoteOptions['models'],
  { type, server, unlisted, toOffered, list }: RemoteWire<Listed>,
): Provider {
  const offer = createOffer(toOffered);
  let models = wanted === '*' ? [] : offer(wanted.map(unlisted));
  return {
    name,
    type,
    models: () => models,
    health: () => server.health(),
    async refresh(signal) {
      try {
        const listed = await list(signal);
        if (listed === null) return;
        const byName = new Map(listed.map((model) => [model.name, model]));
        models = offer(wanted === '*' ? listed : wanted.map((model) => byName.get(model) ?? unlisted(model)));
      } catch {
        // Aborted: nothing new is known.
      }
    },
    lastList: () => server.lastList(),
    close: () => server.close(),
  };
}

/** Makes offers of listed models. A model about which nothing changed is the same object again, and so is a whole list. */
function createOffer<Listed>(toOffered: (listed: Listed) => OfferedModel) {
  let known = new Map<string, OfferedModel>();
  let last: readonly OfferedModel[] = [];
  return (listed: readonly Listed[]): readonly OfferedModel[] => {
    const next = listed.map((entry): [string, OfferedModel] => {
      const offered = toOffered(entry);
      const traits = JSON.stringify([entry, offered.model.capabilities]);
      return [traits, known.get(traits) ?? offered];
    });
    known = new Map(next);
    const models = next.map(([, offered]) => offered);
    const isSame = models.length === last.length && models.every((offered, i) => offered === last[i]);
    last = isSame ? last : models;
    return last;
  };
}
