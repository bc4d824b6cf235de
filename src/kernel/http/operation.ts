import type { Static, TSchema, TUnsafe } from 'typebox';
import { pingComment, type ServerSentEvent } from '../kit/sse.ts';
import type { Fault } from '../faults.ts';
import type { Surface } from './error-dialects.ts';

/** Who calls. Made by the authenticator, handed through unchanged. */
export interface Principal {
  readonly accountId: string;
  /** Loggable handle of the key, never the key. */
  readonly keyId: string;
  /** 0 to 5. */
  readonly tier: number;
  /** Operation groups that this key may not use. */
  readonly denied: readonly string[];
}

/** A limit, declared beside what it limits. */
export interface Bucket {
  readonly name: string;
  readonly windowMs: number;
  /** One number for everybody, or one per tier. It is capacity and refill per window at once. */
  readonly capacity: number | readonly number[];
  /** Whose bucket it is. */
  readonly per: 'account' | 'address';
}

export function perSecond(
  name: string,
  capacity: Bucket['capacity'],
  per: Bucket['per'] = 'account',
): Bucket {
  return { name, windowMs: 1_000, capacity, per };
}

export function perMinute(
  name: string,
  capacity: Bucket['capacity'],
  per: Bucket['per'] = 'account',
): Bucket {
  return { name, windowMs: 60_000, capacity, per };
}

export interface JsonBodySpec<Body extends TSchema = TSchema> {
  readonly schema: Body;
  /** A body of exactly this many bytes is refused. */
  readonly bytesMax: number;
  /** Whether an empty body is read as `{}`. */
  readonly emptyAllowed?: boolean;
  readonly multipart?: undefined;
}

/** `multipart/form-data` with exactly one file part of a name; other parts are ignored. */
export interface MultipartBodySpec {
  readonly multipart: {
    /** Name of the file part. */
    readonly part: string;
    /** The largest file that is accepted. */
    readonly bytesMax: number;
    /** Room for everything around the file. Both together are refused, as bytes of a body are. */
    readonly envelopeBytesMax: number;
  };
  readonly schema?: undefined;
}

export type BodySpec = JsonBodySpec | MultipartBodySpec;

/** What a handler sees of a multipart body. */
export interface UploadedFile {
  readonly file: Uint8Array;
}

/** The body that a declaration leads to. */
type BodyOf<Spec> = Spec extends MultipartBodySpec
  ? UploadedFile
  : Spec extends { readonly schema: infer Schema extends TSchema }
    ? Static<Schema>
    : unknown;

/** What a request takes from buckets that depend on its body. */
interface BodyCost {
  readonly buckets: readonly Bucket[];
  /** Tokens taken from each. A full bucket admits more than it holds; what is missing delays what comes later. */
  readonly cost: number;
}

/** Buckets that are known only when the body is. */
export interface BodyBuckets {
  /** Every bucket that `of` may choose, so that the operator's tables can name it. */
  readonly buckets: readonly Bucket[];
  /** `parsed`: before the schema is looked at, so `of` sees any JSON object. `valid`: after it accepted the body. */
  readonly when: 'parsed' | 'valid';
  /** Null takes from no bucket and sends no headers of a limit. */
  of(body: unknown): BodyCost | null;
}

/** Texts by name. */
type Texts = Readonly<Record<string, string>>;

/** One request as an operation sees it. */
export interface Call<Body = unknown, Query = URLSearchParams, Params = Texts> {
  readonly body: Body;
  readonly principal: Principal | null;
  readonly requestId: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** By the schema `params` of the operation; texts by name where it has none. */
  readonly params: Params;
  /** By the schema `query` of the operation; as sent where it has none. */
  readonly query: Query;
  /** `http://host` as the caller addressed this server. */
  readonly origin: string;
  /** Aborts when the client goes away, the operation's time is up or the server stops; the reason is a Fault. */
  readonly signal: AbortSignal;
}

export type ReplyHeaders = Readonly<Record<string, string>>;

/** What a reply is to be metered as. Only those of operations with `isBilled` have it. */
export interface Billing {
  /** Canonical name; null where no model ran. */
  readonly model: string | null;
  /** Unit: tokens. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Counts of what is neither input nor output, by name: searches, chunks. */
  readonly otherUnits?: Readonly<Record<string, number>>;
  /** Plain products by part, never rounded. Unit: USD. */
  readonly costParts: Readonly<Record<string, number>>;
}

export interface JsonReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: unknown;
  readonly billing?: Billing;
}

/** A body that is written as it is: a download, or JSON passed through. */
export interface BytesReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly billing?: Billing;
}

/** No body at all. */
export interface EmptyReply {
  readonly status: 204;
  readonly headers: ReplyHeaders;
}

export interface StreamReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** Each batch is one write. The first is awaited before the status is sent. */
  readonly events: AsyncIterable<readonly ServerSentEvent[]>;
  /** The form in which this stream reports a failure after it has begun. */
  readonly endWith: (fault: Fault, requestId: string) => readonly ServerSentEvent[];
  /** What is written while the stream is silent. */
  readonly ping: string;
  /** Asked once, when the stream has ended: whole, by a failure, or because the client left. */
  readonly billing?: () => Billing | null;
}

/** Handlers return one of these; `reply.ts` alone writes it. */
export type Reply = JsonReply | BytesReply | EmptyReply | StreamReply;

export function ok(body: unknown, headers: ReplyHeaders = {}, billing?: Billing): JsonReply {
  return billing === undefined ? { status: 200, headers, body } : { status: 200, headers, body, billing };
}

export function created(body: unknown, headers: ReplyHeaders = {}): JsonReply {
  return { status: 201, headers, body };
}

export function noContent(headers: ReplyHeaders = {}): EmptyReply {
  return { status: 204, headers };
}

export function bytes(
  content: Uint8Array,
  contentType: string,
  headers: ReplyHeaders = {},
  billing?: Billing,
): BytesReply {
  const reply = { status: 200, headers, bytes: content, contentType };
  return billing === undefined ? reply : { ...reply, billing };
}

export function stream(
  events: StreamReply['events'],
  endWith: StreamReply['endWith'],
  more: Partial<Pick<StreamReply, 'headers' | 'ping' | 'billing'>> = {},
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
  /** Group in the published description, and in `keys[].deny`. */
  readonly group: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The canonical path first, then its aliases; `{name}` is a parameter. */
  readonly paths: readonly [string, ...string[]];
  readonly surface: Surface;
  /** `admin`: the key of the administration, which speaks for no account and opens nothing else. */
  readonly credentials: 'bearer' | 'bearer or x-api-key' | 'admin' | 'none';
  /** Of a bearer's paths those on which `x-api-key` is read as well, and answers carry `request-id`. */
  readonly apiKeyPaths?: readonly string[];
  /** Taken from directly after authentication. */
  readonly buckets: readonly Bucket[];
  readonly bodyBuckets?: BodyBuckets;
  /** An object schema. What it does not name is passed over; integers, numbers and booleans are read from text. */
  readonly params?: Params;
  /** The same over the query. An absent parameter is an absent property; of a repeated one the last counts. */
  readonly query?: Query;
  readonly body?: Body;
  /** Schema of each successful status, `Type.Null()` for 204; error bodies follow from the surface. */
  readonly responses: Readonly<Record<number, TSchema>>;
  /** Replies carry what they are metered as. Without room to note it the work does not begin. */
  readonly isBilled?: boolean;
  /** After this the signal aborts with a 504. */
  readonly timeoutMs?: number;
  handle(call: Call<BodyOf<Body>, Static<Query>, Static<Params>>, services: Services): Promise<Reply> | Reply;
}

/** What may be sent on one of the paths. */
export function credentialsOn(
  { credentials, apiKeyPaths = [] }: Pick<Operation<never>, 'credentials' | 'apiKeyPaths'>,
  path: string,
): Operation<never>['credentials'] {
  return credentials === 'bearer' && apiKeyPaths.includes(path) ? 'bearer or x-api-key' : credentials;
}

/**
 * Declares an operation: routing, credentials, limits, validation, types, the published description and the
 * contract tests all follow from this one object.
 */
export function defineOperation<
  Services,
  Body extends BodySpec = BodySpec,
  Query extends TSchema = TUnsafe<URLSearchParams>,
  Params extends TSchema = TUnsafe<Texts>,
>(operation: Operation<Services, Body, Query, Params>): Operation<Services> {
  // The pipeline only ever hands over what the schemas accepted, so the narrower types are safe to forget.
  return operation;
}
