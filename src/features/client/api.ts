import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import type { ReceivedEvent } from '../../kernel/kit/sse-reader.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query, from the first slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: JsonObject;
  /** A file for operations that take one; in place of `json`. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
  /** A file that is read while it is sent, after the fields beside it; in place of `json`. */
  readonly form?: {
    readonly fields: Readonly<Record<string, string>>;
    readonly file: { readonly name: string; readonly content: Blob };
  };
  /** Of `call`: to the last byte. Of `stream`: to the first, and the longest silence after it. Unit: ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * The published operations of a Nestor server, as any client reaches them. Both methods throw ApiError for what the
 * server refuses and for a server that cannot be reached, and the signal's reason when it aborts.
 */
export interface PublishedApi {
  /** The body of the answer; null where it has none. */
  call(request: ApiRequest): Promise<Json>;
  /** The events of a streamed answer, in batches as they arrive. */
  stream(request: ApiRequest): AsyncIterable<readonly ReceivedEvent[]>;
}

interface ApiErrorDetail {
  /** Null where no answer came. */
  readonly status?: number | null;
  readonly requestId?: string | null;
  /** Wait after which the same request can succeed. Unit: ms. */
  readonly retryAfterMs?: number | null;
  /** Nothing answers at the address. */
  readonly isUnreachable?: boolean;
  readonly cause?: unknown;
}

/** A call that failed; its message is for the person or the model who asked. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly isUnreachable: boolean;

  constructor(
    message: string,
    { status, requestId, retryAfterMs, isUnreachable, cause }: ApiErrorDetail = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status ?? null;
    this.requestId = requestId ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.isUnreachable = isUnreachable ?? false;
  }
}

/** `Request rate limit exceeded. (429, request 0b6f…)`: everything that a person needs, in one line. */
export function describeApiError({ message, status, requestId }: ApiError): string {
  const about = [status, requestId === null ? null : `request ${requestId}`].filter((part) => part !== null);
  return about.length === 0 ? message : `${message} (${about.join(', ')})`;
}
