import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, toFault } from '../faults.ts';
import type { Admission } from '../kit/bucket.ts';
import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import type { JsonObject } from '../kit/json.ts';
import type { Bodies, RequestBody } from './bodies.ts';
import { leavesMuchUnread } from './body.ts';
import { toErrorBody } from './error-dialects.ts';
import {
  credentialsOn,
  type Billing,
  type BodyBuckets,
  type BodySpec,
  type Bucket,
  type Call,
  type JsonBodySpec,
  type LinesReply,
  type Operation,
  type Principal,
  type Reply,
  type StreamReply,
  type Upload,
  type UploadBodySpec,
} from './operation.ts';
import { faultHeaders, idHeaders, originOf, readKey, setRateHeaders, setTimeHeader } from './headers.ts';
import { readUploadedFile } from './multipart.ts';
import type { BillingSlot, RequestRecord } from './request-record.ts';
import { readUpload } from './upload.ts';
import { createParameterReader, toQuery, type ReadParameters } from './parameters.ts';
import { sendClosing } from './raw-reply.ts';
import {
  billingOf,
  endStream,
  isStreamed,
  sendBytes,
  sendEmpty,
  sendJson,
  sendLines,
  sendStream,
  type HeaderMap,
} from './reply.ts';
import { createValidator, type Validator } from './validate.ts';
import { WrongKeys } from './wrong-keys.ts';
import { problemToFault, unparsableToFault } from './validation-errors.ts';

interface Subject {
  readonly principal: Principal | null;
  readonly address: string;
}

export interface PipelineDependencies<Services> {
  readonly services: Services;
  /** Null for unknown credentials. */
  authenticate(key: string): Principal | null | Promise<Principal | null>;
  /** Absent without an administration key. */
  readonly isAdmin?: (key: string) => boolean;
  /**
   * Takes `cost` tokens (default 1) from all buckets or none, and reports the most relevant one; synchronously for
   * buckets in this process.
   */
  admit(buckets: readonly Bucket[], subject: Subject, cost?: number): Admission | Promise<Admission>;
  /** Throws a Fault where there is no room. */
  readonly reserveBilling: () => BillingSlot;
  readonly record: (record: RequestRecord) => void;
  readonly bodies: Pick<Bodies, 'of'>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Aborts with a Fault when running requests must end. */
  readonly stopping: AbortSignal;
}

interface RouteMatch {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
}

export type RunOperation = (request: IncomingMessage, response: ServerResponse, match: RouteMatch) => void;

interface Route<Services> {
  readonly operation: Operation<Services>;
  readonly dependencies: PipelineDependencies<Services>;
  readonly wrongKeys: WrongKeys;
  readonly readParams: ReadParameters | null;
  readonly readQuery: ReadParameters | null;
  readonly validator: Validator | null;
  /** In progress. One listener ends all: an event target compares a new listener with each that it has. */
  readonly running: Set<{ abort(reason: unknown): void }>;
}

export function createRunner<Services>(
  operation: Operation<Services>,
  dependencies: PipelineDependencies<Services>,
  wrongKeys = new WrongKeys(),
): RunOperation {
  const { params, query, body, surface } = operation;
  const schema = body?.schema ?? body?.upload?.fields;
  const route: Route<Services> = {
    operation,
    dependencies,
    wrongKeys,
    readParams: params ? createParameterReader(params, 'path', surface) : null,
    readQuery: query ? createParameterReader(query, 'query', surface) : null,
    validator: schema ? createValidator(schema) : null,
    running: new Set(),
  };
  const { stopping } = dependencies;
  stopping.addEventListener('abort', () => {
    for (const exchange of route.running) exchange.abort(stopping.reason);
  });
  return (request, response, match) => {
    void new Exchange(route, request, response, match).run();
  };
}

/** One request: id, credentials, bucket, parameters, size, parse, validate, handle, reply. No step reaches back. */
class Exchange<Services> {
  readonly #route: Route<Services>;
  readonly #operation: Operation<Services>;
  readonly #dependencies: PipelineDependencies<Services>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #match: RouteMatch;
  readonly #requestId: string;
  readonly #startedAt: number;
  readonly #controller = new AbortController();
  readonly #takesApiKey: boolean;
  readonly #headers: HeaderMap;
  #principal: Principal | null = null;
  #billingSlot: BillingSlot | null = null;
  #billing: Billing | null = null;
  #timeout: NodeJS.Timeout | undefined;
  #body: RequestBody | null = null;
  /** Ends the wait for the handler, which need not listen to the signal. */
  #giveUp: ((reason: unknown) => void) | null = null;

  constructor(route: Route<Services>, request: IncomingMessage, response: ServerResponse, match: RouteMatch) {
    const { operation, dependencies } = route;
    this.#route = route;
    this.#operation = operation;
    this.#dependencies = dependencies;
    this.#request = request;
    this.#response = response;
    this.#match = match;
    this.#requestId = dependencies.ids.uuid();
    this.#startedAt = dependencies.clock.monotonic();
    this.#takesApiKey = credentialsOn(operation, match.path) === 'bearer or x-api-key';
    this.#headers = idHeaders(operation.surface, this.#requestId, this.#takesApiKey);
  }

  async run(): Promise<void> {
    const release = this.#watch();
    let reply: Reply | null = null;
    try {
      reply = await this.#answer();
      setTimeHeader(this.#operation.surface, this.#headers, this.#elapsedMs);
      const fault = isStreamed(reply) ? await this.#sendStream(reply) : null;
      // A complete answer implies its ledger row, so the row is kept before the end is sent.
      await this.#keepBilling(reply, fault);
      const sending = isStreamed(reply) ? endStream(this.#response) : this.#send(reply);
      if (sending !== undefined) await sending;
      this.#dependencies.record(this.#toRecord(reply.status, fault));
    } catch (error) {
      const fault = this.#toFault(error);
      if (fault.code === 'invalid_api_key') await this.#delayWrongKey();
      if (reply !== null && 'events' in reply) await this.#keepBroken(reply, fault);
      this.#refuse(fault);
      this.#dependencies.record(this.#toRecord(this.#response.statusCode, fault));
    } finally {
      this.#billingSlot?.release();
      release();
    }
  }

  /** Bills what was delivered of a broken stream: nothing before its first event. */
  async #keepBroken(reply: StreamReply, fault: Fault): Promise<void> {
    try {
      if (this.#response.headersSent) await this.#keepBilling(reply, fault);
    } catch {
      // No caller is left; the ledger counts what it loses.
    }
  }

  #keepBilling(reply: Reply, fault: Fault | null): ReturnType<BillingSlot['keep']> {
    if (this.#billing !== null) return undefined;
    const billing = billingOf(reply);
    if (billing === null) return undefined;
    if (this.#billingSlot === null) throw new Error(`${this.#operation.id} bills and is not declared so`);
    this.#billing = billing;
    return this.#billingSlot.keep(this.#toRecord(reply.status, fault));
  }

  #toRecord(status: number, fault: Fault | null): RequestRecord {
    return {
      requestId: this.#requestId,
      operation: this.#operation.id,
      status: fault?.status ?? status,
      durationMs: this.#elapsedMs,
      account: this.#principal?.accountId ?? null,
      key: this.#principal?.keyId ?? null,
      billing: this.#billing,
      fault,
    };
  }

  get #elapsedMs(): number {
    return this.#dependencies.clock.monotonic() - this.#startedAt;
  }

  async #answer(): Promise<Reply> {
    const operation = this.#operation;
    if (operation.credentials === 'admin') this.#permitAdmin();
    else if (operation.credentials !== 'none') {
      const key = readKey(this.#request, this.#takesApiKey);
      const principal = key === null ? null : this.#dependencies.authenticate(key);
      this.#principal = this.#permit(principal instanceof Promise ? await principal : principal);
    }
    if (operation.buckets.length > 0) {
      const admission = this.#ask(operation.buckets, 1);
      this.#admit(admission instanceof Promise ? await admission : admission);
    }
    const params = this.#route.readParams?.(this.#match.params) ?? this.#match.params;
    const query = this.#route.readQuery?.(Object.fromEntries(toQuery(this.#match.query)));
    const body = operation.body ? await this.#readBody(operation.body) : undefined;
    if (operation.isBilled === true) this.#billingSlot = this.#dependencies.reserveBilling();
    this.#startTimeout();
    const { signal } = this.#controller;
    // Plain values: an object with getters, made for each request, costs more than working these out.
    const call: Call<unknown, unknown, unknown> = {
      body,
      principal: this.#principal,
      requestId: this.#requestId,
      headers: this.#request.headers,
      params,
      query: query ?? toQuery(this.#match.query),
      origin: originOf(this.#request),
      signal,
    };
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#giveUp = reject;
    Promise.resolve(operation.handle(call, this.#dependencies.services)).then(resolve, reject);
    // Work that is done already wins.
    if (signal.aborted) queueMicrotask(() => reject(signal.reason));
    return promise;
  }

  /** Resolves to the fault that ended a begun stream. */
  #sendStream(reply: StreamReply | LinesReply): Promise<Fault | null> {
    const { signal } = this.#controller;
    if ('lines' in reply) return sendLines(this.#response, reply, this.#headers, signal, this.#toFault);
    return sendStream(this.#response, reply, this.#headers, this.#requestId, signal, this.#toFault);
  }

  #send(reply: Exclude<Reply, StreamReply | LinesReply>): Promise<void> | undefined {
    if ('body' in reply) return sendJson(this.#response, reply, this.#headers);
    if ('bytes' in reply) return sendBytes(this.#response, reply, this.#headers);
    return sendEmpty(this.#response, reply, this.#headers);
  }

  /** Only the work is timed; uploads have their own limit. */
  #startTimeout(): void {
    if (this.#operation.timeoutMs === undefined) return;
    this.#timeout = setTimeout(() => this.abort(new Fault('gateway_timeout')), this.#operation.timeoutMs);
  }

  /** Delays callers that guess keys. */
  async #delayWrongKey(): Promise<void> {
    if (readKey(this.#request, this.#operation.credentials === 'bearer or x-api-key') === null) return;
    const address = this.#request.socket.remoteAddress ?? '';
    const delayMs = this.#route.wrongKeys.delayOf(address, this.#dependencies.clock.monotonic());
    if (delayMs > 0) await delay(delayMs, undefined, { signal: this.#controller.signal }).catch(() => {});
  }

  #permitAdmin(): void {
    const key = readKey(this.#request, false);
    if (key === null || this.#dependencies.isAdmin?.(key) !== true) throw new Fault('invalid_api_key');
  }

  #permit(principal: Principal | null): Principal {
    if (principal === null) throw new Fault('invalid_api_key');
    if (principal.denied.includes(this.#operation.group)) throw new Fault('permission_denied');
    return principal;
  }

  #ask(buckets: readonly Bucket[], cost: number): Admission | Promise<Admission> {
    const address = this.#request.socket.remoteAddress ?? '';
    return this.#dependencies.admit(buckets, { principal: this.#principal, address }, cost);
  }

  /** Tokens are taken before the body is read, unless the body decides, and are not returned. */
  #admit(admission: Admission): void {
    const { surface } = this.#operation;
    setRateHeaders(surface, this.#headers, admission, this.#dependencies.clock.now());
    if (!admission.allowed) throw new Fault('rate_limited', undefined, { retryAfterMs: admission.retryInMs });
  }

  async #admitBody(when: BodyBuckets['when'], body: unknown): Promise<void> {
    const { bodyBuckets } = this.#operation;
    const asked = bodyBuckets?.when === when ? bodyBuckets.of(body) : null;
    if (asked !== null && asked.buckets.length > 0) this.#admit(await this.#ask(asked.buckets, asked.cost));
  }

  #readBody(spec: BodySpec): Promise<unknown> {
    if (spec.upload) return this.#readUpload(spec.upload);
    const owner = this.#principal?.accountId ?? this.#request.socket.remoteAddress ?? '';
    const body = this.#dependencies.bodies.of(this.#request, owner, this.#controller.signal);
    this.#body = body;
    return spec.multipart
      ? readUploadedFile(this.#request, body, spec.multipart)
      : this.#readJson(body, spec);
  }

  async #readJson(body: RequestBody, spec: JsonBodySpec): Promise<unknown> {
    const { surface, bodyBuckets } = this.#operation;
    const { value, keysOf, keepDigits } = await body
      .json(spec.bytesMax, spec.emptyAllowed ?? false)
      .catch((error: unknown) => {
        throw unparsableToFault(surface, error);
      });
    if (bodyBuckets !== undefined) await this.#admitBody('parsed', value);
    const validating = this.#validate(value, keysOf);
    if (validating !== undefined) await validating;
    if (bodyBuckets !== undefined) await this.#admitBody('valid', value);
    if (keepDigits !== null) await keepDigits(this.#controller.signal);
    return value;
  }

  async #readUpload(spec: UploadBodySpec['upload']): Promise<Upload> {
    const upload = await readUpload(this.#request, spec, this.#controller.signal);
    await this.#validate(upload.fields, Object.keys);
    await upload.keepDigits(this.#controller.signal);
    return upload;
  }

  /** Synchronously, where no name has to be looked up. */
  #validate(
    value: Record<string, unknown>,
    keysOf: (object: JsonObject) => readonly string[],
  ): Promise<void> | undefined {
    const { validator } = this.#route;
    const check = () => {
      if (validator?.check(value) === false)
        throw problemToFault(this.#operation.surface, validator.explain(value, keysOf));
    };
    const resolving = this.#operation.resolveNames?.(value, this.#principal, this.#dependencies.services);
    if (resolving !== undefined) return resolving.then(check);
    check();
    return undefined;
  }

  #watch(): () => void {
    const { stopping } = this.#dependencies;
    const onClose = () => {
      if (!this.#response.writableFinished) this.abort(new Fault('client_closed'));
    };
    this.#response.once('close', onClose);
    this.#route.running.add(this);
    if (stopping.aborted) this.abort(stopping.reason);
    return () => {
      clearTimeout(this.#timeout);
      this.#body?.release();
      this.#response.off('close', onClose);
      this.#route.running.delete(this);
    };
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    this.#giveUp?.(reason);
  }

  /** Errors after an abort follow from its reason. */
  readonly #toFault = (error: unknown): Fault => {
    const { signal } = this.#controller;
    if (signal.aborted && signal.reason instanceof Fault) return signal.reason;
    return toFault(error);
  };

  #refuse(fault: Fault): void {
    if (fault.code === 'client_closed' || this.#response.headersSent) {
      this.#response.destroy();
      return;
    }
    const { surface } = this.#operation;
    setTimeHeader(surface, this.#headers, this.#elapsedMs);
    const body = toErrorBody(surface, fault, this.#requestId);
    const headers: HeaderMap = { ...this.#headers, ...faultHeaders(fault) };
    // Without a socket the response waits behind a pipelined one, and only Node knows the order.
    const isUnread = leavesMuchUnread(this.#request, fault);
    if (isUnread && this.#response.socket !== null) {
      const set = this.#response.getHeaders() as HeaderMap;
      sendClosing(this.#request.socket, { status: fault.status, headers: { ...set, ...headers }, body });
    } else {
      if (isUnread) headers['connection'] = 'close';
      void sendJson(this.#response, { status: fault.status, headers: {}, body }, headers);
    }
  }
}
