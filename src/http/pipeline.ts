import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../faults.ts';
import { raceSignal } from '../kit/abort.ts';
import type { Admission } from '../kit/bucket.ts';
import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import { readJsonBody } from './body.ts';
import { isFinal, toErrorBody } from './error-dialects.ts';
import type { Billing, Bucket, Call, Operation, Principal, Reply } from './operation.ts';
import { sendClosing } from './raw-reply.ts';
import { sendJson, sendStream, type HeaderMap } from './reply.ts';
import { createValidator, type Validator } from './validate.ts';
import { problemToFault, unparsableToFault } from './wording.ts';

/** What happened to one request, for the log and the metrics. Contains nothing that a caller wrote. */
export interface RequestRecord {
  readonly requestId: string;
  /** `none` where no operation was found. */
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  readonly account: string | null;
  readonly key: string | null;
  /** What the request is metered as; null where nothing is billed. */
  readonly billing: Billing | null;
  readonly fault: Fault | null;
}

/** What the pipeline is given, so that it knows no product. */
export interface PipelineParts<Services> {
  readonly services: Services;
  /** Answers null for credentials that are not known. */
  authenticate(key: string): Principal | null | Promise<Principal | null>;
  /** Takes one token from each bucket or from none; says so of the bucket that matters most. */
  admit(buckets: readonly Bucket[], subject: { principal: Principal | null; address: string }): Admission;
  readonly record: (record: RequestRecord) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Aborts, with a Fault as reason, when running requests may run no longer. */
  readonly stopping: AbortSignal;
}

export interface RouteMatch {
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
}

export type RunOperation = (request: IncomingMessage, response: ServerResponse, match: RouteMatch) => void;

/** Prepares everything about an operation that does not depend on a request. */
export function createRunner<Services>(
  operation: Operation<Services>,
  parts: PipelineParts<Services>,
): RunOperation {
  const validator = operation.body ? createValidator(operation.body.schema) : null;
  return (request, response, match) => {
    void new Exchange(operation, validator, parts, request, response, match).run();
  };
}

/**
 * One request on its one way: id, credentials, bucket, size, parse, validate, handle, reply. Routing came
 * before. No step reaches back.
 */
class Exchange<Services> {
  readonly #operation: Operation<Services>;
  readonly #validator: Validator | null;
  readonly #parts: PipelineParts<Services>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #match: RouteMatch;
  readonly #requestId: string;
  readonly #startedAt: number;
  readonly #controller = new AbortController();
  readonly #headers: HeaderMap;
  #principal: Principal | null = null;
  #timeout: NodeJS.Timeout | undefined;

  constructor(
    operation: Operation<Services>,
    validator: Validator | null,
    parts: PipelineParts<Services>,
    request: IncomingMessage,
    response: ServerResponse,
    match: RouteMatch,
  ) {
    this.#operation = operation;
    this.#validator = validator;
    this.#parts = parts;
    this.#request = request;
    this.#response = response;
    this.#match = match;
    this.#requestId = parts.ids.uuid();
    this.#startedAt = parts.clock.monotonic();
    this.#headers = idHeaders(operation.surface, this.#requestId);
  }

  async run(): Promise<void> {
    const release = this.#watch();
    let fault: Fault | null = null;
    let billing: Billing | null = null;
    try {
      const reply = await this.#answer();
      if ('events' in reply) {
        const { signal } = this.#controller;
        fault = await sendStream(
          this.#response,
          reply,
          this.#headers,
          this.#requestId,
          signal,
          this.#toFault,
        );
      } else {
        sendJson(this.#response, reply, this.#headers);
        billing = reply.billing ?? null;
      }
    } catch (error) {
      fault = this.#toFault(error);
      this.#refuse(fault);
    } finally {
      release();
    }
    this.#parts.record({
      requestId: this.#requestId,
      operation: this.#operation.id,
      status: fault?.status ?? this.#response.statusCode,
      durationMs: this.#parts.clock.monotonic() - this.#startedAt,
      account: this.#principal?.accountId ?? null,
      key: this.#principal?.keyId ?? null,
      billing,
      fault,
    });
  }

  async #answer(): Promise<Reply> {
    const operation = this.#operation;
    if (operation.credentials !== 'none') this.#principal = await this.#authenticate();
    this.#admit();
    const body = operation.body ? await this.#readBody(operation.body) : undefined;
    this.#startTimeout();
    const request = this.#request;
    const match = this.#match;
    const call: Call = {
      body,
      principal: this.#principal,
      requestId: this.#requestId,
      headers: request.headers,
      params: match.params,
      get query() {
        return new URLSearchParams(match.query);
      },
      get origin() {
        return originOf(request);
      },
      signal: this.#controller.signal,
    };
    return raceSignal(Promise.resolve(operation.handle(call, this.#parts.services)), call.signal);
  }

  /** Only the work is timed: a slow upload has its own rule. */
  #startTimeout(): void {
    if (this.#operation.timeoutMs === undefined) return;
    this.#timeout = setTimeout(() => {
      this.#controller.abort(new Fault('gateway_timeout'));
    }, this.#operation.timeoutMs);
  }

  async #authenticate(): Promise<Principal> {
    const key = readKey(this.#request, this.#operation.credentials === 'bearer or x-api-key');
    const principal = key === null ? null : await this.#parts.authenticate(key);
    if (principal === null) throw new Fault('invalid_api_key');
    if (principal.denied.includes(this.#operation.group)) throw new Fault('permission_denied');
    return principal;
  }

  /** The token is taken before the body is read and is not given back. */
  #admit(): void {
    const { buckets } = this.#operation;
    if (buckets.length === 0) return;
    const address = this.#request.socket.remoteAddress ?? '';
    const admission = this.#parts.admit(buckets, { principal: this.#principal, address });
    this.#headers['x-ratelimit-limit'] = String(admission.capacity);
    this.#headers['x-ratelimit-remaining'] = String(admission.remaining);
    this.#headers['x-ratelimit-used'] = String(admission.capacity - admission.remaining);
    this.#headers['x-ratelimit-reset'] = String(
      Math.ceil((this.#parts.clock.now() + admission.fullInMs) / 1_000),
    );
    if (!admission.allowed) throw new Fault('rate_limited', undefined, { retryAfterMs: admission.retryInMs });
  }

  async #readBody(spec: NonNullable<Operation<Services>['body']>): Promise<unknown> {
    const { surface } = this.#operation;
    const { value, keysOf } = await readJsonBody(
      this.#request,
      spec.bytesMax,
      spec.emptyAllowed ?? false,
    ).catch((error: unknown) => {
      throw unparsableToFault(surface, error);
    });
    if (this.#validator?.check(value) === false) {
      const problem = this.#validator.explain(value, keysOf);
      throw problemToFault(surface, problem);
    }
    return value;
  }

  /** Ties the signal to everything that ends a request early. */
  #watch(): () => void {
    const { stopping } = this.#parts;
    const onClose = () => {
      if (!this.#response.writableFinished) this.#controller.abort(new Fault('client_closed'));
    };
    const onStop = () => {
      this.#controller.abort(stopping.reason);
    };
    this.#response.once('close', onClose);
    stopping.addEventListener('abort', onStop, { once: true });
    if (stopping.aborted) onStop();
    return () => {
      clearTimeout(this.#timeout);
      this.#response.off('close', onClose);
      stopping.removeEventListener('abort', onStop);
    };
  }

  /** What was thrown after an abort is a consequence; the abort's own reason is the cause. */
  readonly #toFault = (error: unknown): Fault => {
    const { signal } = this.#controller;
    if (signal.aborted && signal.reason instanceof Fault) return signal.reason;
    return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error });
  };

  #refuse(fault: Fault): void {
    if (fault.code === 'client_closed' || this.#response.headersSent) {
      this.#response.destroy();
      return;
    }
    const body = toErrorBody(this.#operation.surface, fault, this.#requestId);
    const headers: HeaderMap = { ...this.#headers, ...faultHeaders(fault) };
    // Without a socket of its own the response waits behind a pipelined one, and only Node knows the order.
    const isUnread = leavesMuchUnread(this.#request, fault);
    if (isUnread && this.#response.socket !== null) {
      const set = this.#response.getHeaders() as HeaderMap;
      sendClosing(this.#request.socket, { status: fault.status, headers: { ...set, ...headers }, body });
    } else {
      if (isUnread) headers['connection'] = 'close';
      sendJson(this.#response, { status: fault.status, headers: {}, body }, headers);
    }
  }
}

/** Headers that name the request, under every name that a client of this surface looks for. */
export function idHeaders(surface: Operation<never>['surface'], requestId: string): HeaderMap {
  switch (surface) {
    case 'systemone':
      return { 'x-request-id': requestId, 'x-typesafe-request-id': requestId };
    case 'messages':
    case 'router':
      return { 'x-request-id': requestId, 'request-id': requestId };
    default:
      return { 'x-request-id': requestId };
  }
}

export function faultHeaders(fault: Fault): HeaderMap {
  const headers: HeaderMap = {};
  if (fault.status === 401) headers['www-authenticate'] = 'Bearer';
  if (isFinal(fault)) headers['x-should-retry'] = 'false';
  if (fault.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(fault.retryAfterMs / 1_000)));
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(fault.retryAfterMs)));
  }
  return headers;
}

/** Up to here Node reads and drops the rest of a refused body and keeps the connection. */
const unreadBytesMax = 64 * 1024;

function leavesMuchUnread(request: IncomingMessage, fault: Fault): boolean {
  if (request.complete) return false;
  if (fault.code === 'body_too_large' || request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > unreadBytesMax;
}

const bearer = /^bearer +(.+)$/i;

/** The key as sent; null when there is none. `Authorization` decides where both headers are present. */
function readKey(request: IncomingMessage, apiKeyHeader: boolean): string | null {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  if (authorization !== undefined) return bearer.exec(authorization.trimEnd())?.[1] ?? null;
  if (apiKeyHeader && typeof apiKey === 'string' && apiKey !== '') return apiKey;
  return null;
}

const hostName = /^[a-z0-9.\-:[\]]{1,255}$/i;

function originOf(request: IncomingMessage): string {
  const { host } = request.headers;
  const { localAddress, localPort } = request.socket;
  return `http://${host !== undefined && hostName.test(host) ? host : `${localAddress}:${localPort}`}`;
}
