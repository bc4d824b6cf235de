/** A refusal of the server, or a server that cannot be reached. `message` is for people. */
export class ApiFailure extends Error {
  /** 0 where no answer came. */
  readonly status: number;
  /** Also in the server's log; null where no answer came. */
  readonly requestId: string | null;
  /** Wait before the same request may be sent again, in s. */
  readonly retryAfterS: number | null;
  /** The body of the answer, if it was JSON. */
  readonly body: unknown;

  constructor(
    message: string,
    status: number,
    requestId: string | null,
    retryAfterS: number | null,
    body: unknown = null,
  ) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.requestId = requestId;
    this.retryAfterS = retryAfterS;
    this.body = body;
  }
}

/** Reads the answer of a request that failed, whatever dialect its operation speaks. */
export async function toFailure(response: Response): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => null);
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiFailure(
    toMessage(body) ?? `The server answered with status ${response.status}.`,
    response.status,
    response.headers.get('x-request-id'),
    Number.isFinite(after) ? after : null,
    body,
  );
}

export function unreachable(): ApiFailure {
  return new ApiFailure('The server cannot be reached.', 0, null, null);
}

/** The message, with the name of the field where it does not name it. */
function toMessage(body: unknown): string | null {
  const message = messageIn(body);
  const error = isRecord(body) ? body['error'] : null;
  const param = isRecord(error) ? error['param'] : null;
  const isNamed = typeof param !== 'string' || message === null || message.includes(param);
  return isNamed ? message : `${param}: ${message}`;
}

/** The message in a body of any dialect: `error.message`, `message`, or the first of `detail`. Null when there is none. */
export function messageIn(body: unknown): string | null {
  if (typeof body === 'string') return body === '' ? null : body;
  if (!isRecord(body)) return null;
  if (Array.isArray(body['detail'])) return detailIn(body['detail']);
  return messageIn(body['error']) ?? messageIn(body['message']) ?? messageIn(body['detail']);
}

function detailIn(detail: readonly unknown[]): string | null {
  const [first] = detail;
  if (!isRecord(first) || typeof first['msg'] !== 'string') return null;
  const place = Array.isArray(first['loc']) ? first['loc'].join('.') : '';
  return place === '' ? first['msg'] : `${place}: ${first['msg']}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
