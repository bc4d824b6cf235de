import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ApiFailure, isRecord, messageIn, toFailure, unreachable } from './failure.ts';

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with a slash; parts that come from data are encoded by the caller. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON, or as it is when it is a form. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface Answer<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

/** Calls published operations with one key, which is sent in the header only. */
export interface Api {
  /** The body as JSON; null where there is none. Rejects with `ApiFailure`, or with the reason of the signal. */
  call<Body>(request: Request): Promise<Answer<Body>>;
  /** The bytes of a file. */
  download(request: Request): Promise<Blob>;
  /** The JSON of each server-sent event, up to `[DONE]`. Rejects for a failure in the stream as for one before it. */
  stream<Event>(request: Request): AsyncGenerator<Event, void>;
}

export function createApi(key: string | null): Api {
  const send = async ({ method, path, query, body, signal }: Request): Promise<Response> => {
    const form = body instanceof FormData;
    const response = await fetch(toUrl(path, query), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    }).catch((error: unknown) => {
      throw signal?.aborted ? error : unreachable();
    });
    if (!response.ok) throw await toFailure(response);
    return response;
  };
  return {
    async call<Body>(request: Request): Promise<Answer<Body>> {
      const response = await send(request);
      const text = await response.text();
      return { body: (text === '' ? null : JSON.parse(text)) as Body, headers: response.headers };
    },
    download: async (request) => (await send(request)).blob(),
    async *stream<Event>(request: Request) {
      const response = await send(request);
      if (response.body === null) return;
      const requestId = response.headers.get('x-request-id');
      const events = response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      const reader = events.getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done || value.data === '[DONE]') return;
          const data: unknown = JSON.parse(value.data);
          if (isRecord(data) && isRecord(data['error']) && data['type'] !== 'response.failed')
            throw new ApiFailure(
              messageIn(data) ?? 'The answer broke off.',
              response.status,
              requestId,
              null,
            );
          yield data as Event;
        }
      } finally {
        await reader.cancel().catch(() => {});
      }
    },
  };
}

function toUrl(path: string, query: Request['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}
