import type { Json } from './json.ts';

/** Why a call gave no usable JSON. An abort is none of these: it rejects. */
export type OutboundFailure =
  /** No answer began: refused, unknown name, no route, TLS, or the connection broke before the head. */
  | 'connect'
  /** The head came and the body broke off. */
  | 'cut'
  /** Not done when the time was over. */
  | 'timeout'
  /** More bytes than the cap. */
  | 'too_large'
  /** Done, and not JSON: HTML, truncated, duplicate keys, too deep. Or not HTTP at all. */
  | 'not_json'
  /** A status other than 2xx, redirects included: none is followed. */
  | 'status';

export type OutboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export type OutboundOutcome =
  | { readonly ok: true; readonly status: number; readonly headers: OutboundHeaders; readonly body: Json }
  | {
      readonly ok: false;
      readonly failure: OutboundFailure;
      /** Null when no head arrived. */
      readonly status: number | null;
      readonly headers: OutboundHeaders;
      /** What came with a status other than 2xx, when it was JSON. Written by others: not for messages or logs. */
      readonly body: Json | null;
      readonly cause: unknown;
    };

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as JSON text. Text and not a value, so that the sender decides the order of names. */
  readonly json?: string;
  /** Of `call`: to the last byte. Of `open`: to the first event. Unit: ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface OutboundStreamRequest extends OutboundRequest {
  /** Longest wait between two events. Unit: ms. */
  readonly silenceMs: number;
  /** To the last byte, however lively the server is. Unit: ms. */
  readonly totalMs: number;
}

export type OutboundStream =
  | {
      readonly ok: true;
      /** 2xx. */
      readonly status: number;
      readonly headers: OutboundHeaders;
      /**
       * The body as it arrives, decoded; for one reader. Throws OutboundBroken when it breaks off and the signal's reason
       * when that aborts. A reader that stops early closes the connection.
       */
      readonly chunks: AsyncIterable<Buffer>;
      /**
       * Told by the reader for what completed an event: the wait for the next one begins. Bytes alone do not count, or a
       * server that drips them would be waited for without an end. A body without reported events has to be whole within
       * `timeoutMs`.
       */
      readonly progress: () => void;
    }
  | (OutboundOutcome & { readonly ok: false });

/** Why a body broke off after its first byte. The cause holds nothing that the server wrote. */
export class OutboundBroken extends Error {
  readonly failure: 'cut' | 'timeout' | 'too_large';

  constructor(failure: OutboundBroken['failure'], cause: unknown) {
    super(`response broke off: ${failure}`, { cause });
    this.name = 'OutboundBroken';
    this.failure = failure;
  }
}
