import type { Json } from '../../kernel/kit/json.ts';

export interface EngineRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST; without it the request is a GET. */
  readonly json?: string;
}

/** An answer that cannot be used; the message holds nothing of the answer. */
export class ResponseError extends Error {}

/**
 * Calls to search backends. `read` converts the answer and throws ResponseError where it cannot. Every
 * failure is a Fault of `upstream-fault.ts`; both reject with the signal's reason when it aborts.
 */
export interface EngineCalls {
  json<Value>(request: EngineRequest, read: (body: Json) => Value, signal: AbortSignal): Promise<Value>;
  /** As they are, for what is too large to be parsed here. Nobody else has the buffer. */
  bytes(request: EngineRequest, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** For the one source that answers in XML. */
  text<Value>(request: EngineRequest, read: (body: string) => Value, signal: AbortSignal): Promise<Value>;
}
