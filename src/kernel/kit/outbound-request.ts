import type { Json } from './json.ts';

/** Why a call gave no usable JSON. An abort is none of these: it rejects. */
export type OutboundFailure =
  /** No answer: refused, unknown name, no route, TLS, or broken before the head. */
  | 'connect'
  /** The body broke off after the head. */
  | 'cut'
  | 'timeout'
  | 'too_large'
  /** HTML, truncated JSON, duplicate keys, too deep, or not HTTP at all. */
  | 'not_json'
  /** A status other than 2xx; redirects are not followed. */
  | 'status';

export type OutboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export type OutboundOutcome =
  | { readonly ok: true; readonly status: number; readonly headers: OutboundHeaders; readonly body: Json }
  | {
      readonly ok: false;
      readonly failure: OutboundFailure;
      /** Null without a head. */
      readonly status: number | null;
      readonly headers: OutboundHeaders;
      /** JSON of an error status. Written by others: not for messages or logs. */
      readonly body: Json | null;
      readonly cause: unknown;
    };

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text rather than a value, so that the sender decides the order of names. */
  readonly json?: string;
  /** For `call` to the last byte, for `open` to the first event. Unit: ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface OutboundStreamRequest extends OutboundRequest {
  /** Longest wait between two events. Unit: ms. */
  readonly silenceMs: number;
  /** To the last byte. Unit: ms. */
  readonly totalMs: number;
}

export type OutboundStream =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: OutboundHeaders;
      /**
       * The decoded body, for one reader. Rejects with OutboundBroken when it breaks off, or with the signal's
       * reason. A reader that stops early closes the connection.
       */
      readonly chunks: AsyncIterable<Buffer>;
      /**
       * The reader calls this for each complete event, which restarts the wait for the next. Bytes alone do not
       * count, or a server that drips them would be waited for without end. Without any call the body must be
       * complete within `timeoutMs`.
       */
      readonly progress: () => void;
    }
  | (OutboundOutcome & { readonly ok: false });

/** A body that broke off. The cause holds nothing that the server wrote. */
export class OutboundBroken extends Error {
  readonly failure: 'cut' | 'timeout' | 'too_large';

  constructor(failure: OutboundBroken['failure'], cause: unknown) {
    super(`response broke off: ${failure}`, { cause });
    this.name = 'OutboundBroken';
    this.failure = failure;
  }
}
