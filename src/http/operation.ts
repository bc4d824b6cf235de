import type { Static, TSchema } from 'typebox';
import type { ServerSentEvent } from '../kit/sse.ts';
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

export interface BodySpec<Body extends TSchema = TSchema> {
  readonly schema: Body;
  /** A body of exactly this many bytes is refused. */
  readonly bytesMax: number;
  /** Whether an empty body is read as `{}`. */
  readonly emptyAllowed?: boolean;
}

/** One request as an operation sees it. */
export interface Call<Body = unknown> {
  readonly body: Body;
  readonly principal: Principal | null;
  readonly requestId: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** `http://host` as the caller addressed this server. */
  readonly origin: string;
  /** Aborts when the client goes away, the operation's time is up or the server stops; the reason is a Fault. */
  readonly signal: AbortSignal;
}

export type ReplyHeaders = Readonly<Record<string, string>>;

/** What a reply is to be metered as. Absent where nothing is billed. */
export interface Billing {
  /** Canonical name; null where no model ran. */
  readonly model: string | null;
  /** Unit: tokens. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Plain products by part, never rounded. Unit: USD. */
  readonly costParts: Readonly<Record<string, number>>;
}

export interface JsonReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: unknown;
  readonly billing?: Billing;
}

export interface StreamReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly events: AsyncIterable<ServerSentEvent>;
  /** How this stream tells a failure after it has begun. */
  readonly endWith: (fault: Fault, requestId: string) => readonly ServerSentEvent[];
  /** What is written while the stream is silent. */
  readonly ping: string;
}

/** Handlers return one of these; `reply.ts` alone writes it. */
export type Reply = JsonReply | StreamReply;

export function ok(body: unknown, headers: ReplyHeaders = {}, billing?: Billing): JsonReply {
  return billing === undefined ? { status: 200, headers, body } : { status: 200, headers, body, billing };
}

export interface Operation<Services, Body extends TSchema = TSchema> {
  readonly id: string;
  readonly summary: string;
  /** Group in the published description, and in `keys[].deny`. */
  readonly group: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The canonical path first, then its aliases; `{name}` is a parameter. */
  readonly paths: readonly [string, ...string[]];
  readonly surface: Surface;
  readonly credentials: 'bearer' | 'bearer or x-api-key' | 'none';
  readonly buckets: readonly Bucket[];
  readonly body?: BodySpec<Body>;
  /** Schema of each successful status; error bodies follow from the surface. */
  readonly responses: Readonly<Record<number, TSchema>>;
  /** After this the signal aborts with a 504. */
  readonly timeoutMs?: number;
  handle(call: Call<Static<Body>>, services: Services): Promise<Reply> | Reply;
}

/**
 * Declares an operation: routing, credentials, limits, validation, types, the published description and the
 * contract tests all follow from this one object.
 */
export function defineOperation<Services, Body extends TSchema>(
  operation: Operation<Services, Body>,
): Operation<Services> {
  // The pipeline only ever hands over a body that the schema accepted, so the narrower type is safe to forget.
  return operation;
}
