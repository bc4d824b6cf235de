/**
 * Every failure that a caller can see. Codes are never renamed or reused; `http/error-dialects.ts` maps them to the
 * wire of each surface.
 */
export const faultTable = {
  invalid_json: { status: 400, message: 'Request body is not valid JSON' },
  invalid_body: { status: 400, message: 'Request body must be a JSON object' },
  unknown_field: { status: 400, message: 'Unknown field' },
  missing_field: { status: 400, message: 'Missing required field' },
  invalid_value: { status: 400, message: 'Invalid value' },
  invalid_model: { status: 400, message: 'Invalid model' },
  invalid_tool: { status: 400, message: 'Invalid tool' },
  invalid_preset: { status: 400, message: 'Invalid preset' },
  invalid_previous_response: { status: 400, message: 'Invalid previous response' },
  cursor_expired: { status: 400, message: 'stream cursor expired or invalid' },
  conversation_locked: {
    status: 400,
    message: 'Another process is currently operating on this conversation. Please retry in a few seconds.',
  },
  already_finished: { status: 400, message: 'response is already finished' },
  invalid_question: { status: 400, message: 'Invalid question' },
  thread_unsupported: {
    status: 400,
    message: 'This server holds no conversations: send all messages, without thread',
  },
  invalid_image: { status: 400, message: 'Invalid image' },
  images_unsupported: { status: 400, message: 'the configured decision engine does not accept images' },
  context_length_exceeded: { status: 400, message: "Input exceeds the model's maximum context length" },
  invalid_api_key: { status: 401, message: 'Invalid API key provided.' },
  permission_denied: { status: 403, message: 'This key may not use this operation.' },
  not_found: { status: 404, message: 'Not found' },
  unknown_model: { status: 404, message: 'The model does not exist' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  conflict: { status: 409, message: 'Conflict' },
  body_too_large: { status: 413, message: 'request body exceeds the maximum allowed size' },
  storage_quota_exceeded: {
    status: 413,
    message:
      'This account keeps as much as it may. Delete responses, jobs, skills or examples, or let them run out; a response with store: false needs no room.',
  },
  unsupported_media_type: { status: 415, message: 'Content-Type is not a media type' },
  validation_failed: { status: 422, message: 'Validation failed' },
  tool_server_failed: { status: 424, message: 'A server of tools did not answer.' },
  headers_too_large: { status: 431, message: 'The request headers are too large' },
  rate_limited: { status: 429, message: 'Request rate limit exceeded, please try again later.' },
  overloaded: { status: 429, message: 'This model is busy or not reachable, please try again later.' },
  client_closed: { status: 499, message: 'The client closed the connection.' },
  internal: { status: 500, message: 'Internal server error' },
  bad_gateway: { status: 502, message: 'The backend gave an unusable answer.' },
  model_no_answer: { status: 502, message: 'The model gave no answer.' },
  structured_output_failed: {
    status: 502,
    message: 'The model gave no answer of the requested format in several attempts.',
  },
  service_unavailable: { status: 503, message: 'No backend is available, please try again later.' },
  server_stopping: { status: 503, message: 'The server is stopping, please try again.' },
  model_overloaded: { status: 529, message: 'This model is busy or not reachable, please try again later.' },
  gateway_timeout: { status: 504, message: 'The backend did not answer in time.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type FaultCode = keyof typeof faultTable;

/** An entry of a 422's list. `loc` begins with `body`, `query` or `path`. */
interface ValidationDetail {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

interface FaultDetail {
  /** Dotted path of the field at fault with raw names, if it is a single field. */
  readonly param?: string | null;
  /** Logged, never sent. */
  readonly cause?: unknown;
  /** Wait before a retry, sent as `Retry-After` and `retry-after-ms`. Unit: ms. */
  readonly retryAfterMs?: number;
  /** Only with `validation_failed`. */
  readonly details?: readonly ValidationDetail[];
  /** The backend seems to be away: its breaker counts it, and a job waits for it. */
  readonly away?: boolean;
  /** Repeating the request is pointless despite its status. */
  readonly final?: boolean;
}

/** A failure with a public message and a private cause. Other errors are answered with an opaque 500. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly param: string | null;
  readonly retryAfterMs: number | undefined;
  readonly details: readonly ValidationDetail[];
  readonly away: boolean;
  readonly final: boolean;

  constructor(code: FaultCode, message?: string, detail: FaultDetail = {}) {
    super(message ?? faultTable[code].message, detail.cause === undefined ? {} : { cause: detail.cause });
    this.name = 'Fault';
    this.code = code;
    this.status = faultTable[code].status;
    this.param = detail.param ?? null;
    this.retryAfterMs = detail.retryAfterMs ?? (code === 'service_unavailable' ? 1_000 : undefined);
    this.details = detail.details ?? [];
    this.away = detail.away ?? false;
    this.final = detail.final ?? code === 'structured_output_failed';
  }
}

/** What was thrown, as a fault: anything but one is `internal`, with its cause. */
export function toFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error });
}

/** A field that breaks a rule. */
export function invalidValue(message: string, param: string, cause?: unknown): Fault {
  return new Fault('invalid_value', message, { param, cause });
}
