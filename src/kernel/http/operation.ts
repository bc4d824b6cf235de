import type { Static, TSchema, TUnsafe } from 'typebox';
import { pingComment, type ServerSentEvent } from '../kit/sse.ts';
import type { Fault } from '../faults.ts';
import type { JsonObject } from '../kit/json.ts';
import type { Surface } from './error-dialects.ts';

export interface Principal {
  readonly accountId: string;
  /** Loggable handle of the key. */
  readonly keyId: string;
  /** 0 to 5. */
  readonly tier: number;
  /** Operation groups denied to this key. */
  readonly denied: readonly string[];
}

/** Account of the caller of an operation with credentials. */
export function accountOf(principal: Principal | null): string {
  return callerOf(principal).accountId;
}

/** Caller of an operation with credentials; the pipeline refuses requests without. */
export function callerOf(principal: Principal | null): Principal {
  if (principal === null) throw new Error('an operation with credentials has a principal');
  return principal;
}

export interface Bucket {
  readonly name: string;
  readonly windowMs: number;
  /** Capacity and refill per window: one number, or one per tier. */
  readonly capacity: number | readonly number[];
  readonly per: 'account' | 'address';
}

const perWindow =
  (windowMs: number) =>
  (name: string, capacity: Bucket['capacity'], per: Bucket['per'] = 'account'): Bucket => {
    return { name, windowMs, capacity, per };
  };
export const perSecond = perWindow(1_000);
export const perMinute = perWindow(60_000);

export interface JsonBodySpec<Body extends TSchema = TSchema> {
  readonly schema: Body;
  /** A body of this size or more is refused. */
  readonly bytesMax: number;
  /** Whether an empty body is read as `{}`. */
  readonly emptyAllowed?: boolean;
  readonly multipart?: undefined;
  readonly upload?: undefined;
}

/** `multipart/form-data` with exactly one file part of this name; other parts are ignored. */
export interface MultipartBodySpec {
  readonly multipart: {
    readonly part: string;
    /** Largest accepted file. */
    readonly bytesMax: number;
    /** Room for the rest of the body. */
    readonly envelopeBytesMax: number;
  };
  readonly schema?: undefined;
  readonly upload?: undefined;
}

/** `multipart/form-data` whose file is handed on while it arrives. What stands beside the file comes before it. */
export interface UploadBodySpec<Fields extends TSchema = TSchema> {
  readonly upload: {
    readonly part: string;
    /** The other parts, as one object. */
    readonly fields: Fields;
    /** Those of them that are JSON; the others are texts. */
    readonly json: readonly string[];
    /** Largest accepted file. */
    readonly bytesMax: number;
    /** Room for each of the other parts. */
    readonly fieldBytesMax: number;
  };
  readonly schema?: undefined;
  readonly multipart?: undefined;
}

export type BodySpec = JsonBodySpec | MultipartBodySpec | UploadBodySpec;

export interface UploadedFile {
  readonly file: Uint8Array;
}

/** An upload that is under way. */
export interface Upload<Fields = Record<string, unknown>> {
  readonly fields: Fields;
  /** As the client calls the file; empty where it does not. */
  readonly name: string;
  /** Rejects with Fault `body_too_large`, `invalid_value` and `client_closed`. Read once. */
  readonly content: AsyncIterable<Buffer>;
}

type BodyOf<Spec> = Spec extends MultipartBodySpec
  ? UploadedFile
  : Spec extends UploadBodySpec<infer Fields>
    ? Upload<Static<Fields>>
    : Spec extends { readonly schema: infer Schema extends TSchema }
      ? Static<Schema>
      : unknown;

interface BodyCost {
  readonly buckets: readonly Bucket[];
  /** Tokens taken from each. A full bucket admits more than its capacity, which delays later requests. */
  readonly cost: number;
}

/** Buckets that depend on the body. */
export interface BodyBuckets {
  /** Every bucket that `of` may return, for the operator's tables. */
  readonly buckets: readonly Bucket[];
  /** `parsed`: before validation, so `of` gets any JSON object. `valid`: after it. */
  readonly when: 'parsed' | 'valid';
  /** Null takes from no bucket and sends no rate limit headers. */
  of(body: unknown): BodyCost | null;
}

type Texts = Readonly<Record<string, string>>;

/** A request as its handler gets it. */
export interface Call<Body = unknown, Query = URLSearchParams, Params = Texts> {
  readonly body: Body;
  readonly principal: Principal | null;
  readonly requestId: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** By the schema `params`; strings without one. */
  readonly params: Params;
  /** By the schema `query`; as sent without one. */
  readonly query: Query;
  /** `http://host` as addressed by the caller. */
  readonly origin: string;
  /** Aborts when the client leaves, time is up or the server stops; the reason is a Fault. */
  readonly signal: AbortSignal;
}

export type ReplyHeaders = Readonly<Record<string, string>>;

/** Metering of a reply; only with `isBilled`. */
export interface Billing {
  /** Canonical name; null where no model ran. */
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Counts other than tokens, by name: searches, chunks. */
  readonly otherUnits?: Readonly<Record<string, number>>;
  /** Unrounded products by part. Unit: USD. */
  readonly costParts: Readonly<Record<string, number>>;
}

export interface JsonReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: unknown;
  readonly billing?: Billing;
}

/** A body sent unchanged: a download, or JSON passed through. */
export interface BytesReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly billing?: Billing;
}

export interface EmptyReply {
  readonly status: 204;
  readonly headers: ReplyHeaders;
}

export interface StreamReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** What is known when the first batch is there, and not before. */
  readonly headersThen?: () => ReplyHeaders;
  /** Each batch is one write. The first is awaited before the status is sent. */
  readonly events: AsyncIterable<readonly ServerSentEvent[]>;
  /** Reports a failure after the stream has begun. */
  readonly endWith: (fault: Fault, requestId: string) => readonly ServerSentEvent[];
  /** Written while the stream is silent. */
  readonly ping: string;
  /** Called once when the stream has ended, whatever ended it. */
  readonly billing?: () => Billing | null;
}

/** JSON lines, sent as they come. A failure on the way breaks the connection off. */
export interface LinesReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** Texts of whole lines. The first is awaited before the status is sent. */
  readonly lines: AsyncIterable<string>;
}

export type Reply = JsonReply | BytesReply | EmptyReply | StreamReply | LinesReply;

export function ok(body: unknown, headers: ReplyHeaders = {}, billing?: Billing): JsonReply {
  return { status: 200, headers, body, ...(billing && { billing }) };
}

export function created(body: unknown, headers: ReplyHeaders = {}): JsonReply {
  return { status: 201, headers, body };
}

export function noContent(): EmptyReply {
  return { status: 204, headers: {} };
}

export function bytes(
  content: Uint8Array,
  contentType: string,
  headers: ReplyHeaders = {},
  billing?: Billing,
): BytesReply {
  return { status: 200, headers, bytes: content, contentType, ...(billing && { billing }) };
}

export function jsonLines(lines: LinesReply['lines']): LinesReply {
  return { status: 200, headers: {}, lines };
}

export function stream(
  events: StreamReply['events'],
  endWith: StreamReply['endWith'],
  more: Partial<Pick<StreamReply, 'headers' | 'headersThen' | 'ping' | 'billing'>> = {},
): StreamReply {
  return { status: 200, headers: {}, events, endWith, ping: pingComment, ...more };
}

export interface Operation<
  Services,
  Body extends BodySpec = BodySpec,
  Query extends TSchema = TSchema,
  Params extends TSchema = TSchema,
> {
  readonly id: string;
  readonly summary: string;
  /** Group in the published description and in `keys[].deny`. */
  readonly group: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The canonical path, then aliases; `{name}` is a parameter. */
  readonly paths: readonly [string, ...string[]];
  readonly surface: Surface;
  /** `admin`: the administration key, which belongs to no account and opens nothing else. */
  readonly credentials: 'bearer' | 'bearer or x-api-key' | 'admin' | 'none';
  /** Bearer paths that also accept `x-api-key` and answer with `request-id`. */
  readonly apiKeyPaths?: readonly string[];
  /** Taken from right after authentication. */
  readonly buckets: readonly Bucket[];
  readonly bodyBuckets?: BodyBuckets;
  /** An object schema. Other parameters are ignored; integers, numbers and booleans are parsed. */
  readonly params?: Params;
  /** The same for the query. The last of repeated parameters counts. */
  readonly query?: Query;
  readonly body?: Body;
  /**
   * Puts what a caller's names stand for into a parsed body, before the schema sees it: a name that stays a name is then
   * refused where the schema refuses it. The body may be any JSON object.
   */
  resolveNames?(
    body: Record<string, unknown>,
    principal: Principal | null,
    services: Services,
  ): Promise<void> | undefined;
  /** Also takes WebSockets on its paths. */
  readonly socket?: SocketForm;
  /** Schemas of successful statuses, `Type.Null()` for 204. */
  readonly responses: Readonly<Record<number, TSchema>>;
  /** Replies carry `billing`. Without room to record it the work does not begin. */
  readonly isBilled?: boolean;
  /** The signal then aborts with a 504. */
  readonly timeoutMs?: number;
  handle(call: Call<BodyOf<Body>, Static<Query>, Static<Params>>, services: Services): Promise<Reply> | Reply;
}

/** How an operation is spoken over a WebSocket: each message is a request, and each event of its reply a message. */
export interface SocketForm {
  /** What a message asks for, or its answer where that needs no request. Messages of one lane wait for each other. */
  readonly read: (
    message: JsonObject,
  ) => { readonly lane: string | null; readonly body: JsonObject } | { readonly answer: object };
  /** The message of an event's data. */
  readonly write: (data: string, lane: string | null) => string;
  /** The message of a request that was refused. */
  readonly fail: (status: number, headers: ReplyHeaders, body: JsonObject, lane: string | null) => object;
  /** The last message of a connection whose time is over. */
  readonly expired: object;
}

/** The credentials accepted on a path. */
export function credentialsOn(
  { credentials, apiKeyPaths = [] }: Pick<Operation<never>, 'credentials' | 'apiKeyPaths'>,
  path: string,
): Operation<never>['credentials'] {
  return credentials === 'bearer' && apiKeyPaths.includes(path) ? 'bearer or x-api-key' : credentials;
}

/**
 * Declares an operation: routing, credentials, limits, validation, types, the published description and the contract
 * tests follow from it.
 */
export function defineOperation<
  Services,
  Body extends BodySpec = BodySpec,
  Query extends TSchema = TUnsafe<URLSearchParams>,
  Params extends TSchema = TUnsafe<Texts>,
>(operation: Operation<Services, Body, Query, Params>): Operation<Services> {
  // The pipeline passes only what the schemas accepted, so the narrower types may be dropped.
  return operation;
}
