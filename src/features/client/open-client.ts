import { Agent, FormData, request, type Dispatcher } from 'undici';
import { errorCode } from '../../kernel/kit/errors.ts';
import { parseJson, type ParsedJson } from '../../kernel/kit/json-parse.ts';
import { readEvents } from '../../kernel/kit/sse-reader.ts';
import { ApiError, type ApiRequest, type PublishedApi } from './api.ts';
import { textAt } from '../../kernel/kit/json-path.ts';
import { retryAfterMs } from '../../kernel/kit/retry.ts';

export interface Client extends PublishedApi {
  /** The bytes behind a link, without credentials; a path is one of this server. Throws ApiError. */
  download(url: string, options: DownloadOptions): Promise<Uint8Array>;
  /** The bytes of an answer as they come. Throws ApiError. */
  read(asked: Pick<ApiRequest, 'path' | 'signal'>): AsyncIterable<Uint8Array>;
  /** The same server for another caller, over the same connections. */
  readonly withKey: (key: string) => PublishedApi;
  readonly close: () => Promise<void>;
}

interface DownloadOptions extends Pick<ApiRequest, 'timeoutMs' | 'signal'> {
  readonly bytesMax: number;
}

interface Server {
  /** `http://127.0.0.1:8787`. Asked for at each call, so that it may become known late. */
  readonly url: () => string;
  readonly key: string | null;
}

interface ClientOptions extends Server {
  /** Connections kept to the server. A stream holds one until it ends. */
  readonly connectionsMax: number;
}

const connectMs = 10_000;
const answerBytesMax = 67_108_864;
const errorBytesMax = 1_048_576;
const eventBytesMax = 16_777_216;
const depthMax = 128;

interface Connection extends Server {
  readonly agent: Agent;
}

type Answer = Dispatcher.ResponseData;

/** Opens a client of the published operations. Redirects are not followed: the key would travel with them. */
export function openClient({ url, key, connectionsMax }: ClientOptions): Client {
  // Deadlines are ours and per call.
  const agent = new Agent({
    connections: connectionsMax,
    pipelining: 1,
    connect: { timeout: connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    ...toApi({ agent, url, key }),
    read: (asked) => read({ agent, url, key }, asked),
    withKey: (other) => toApi({ agent, url, key: other }),
    download: (link, options) => download(agent, URL.parse(link, url())?.href ?? link, options),
    close: () => agent.destroy(),
  };
}

/** Connections to this server itself, as many as MCP clients may have calls under way; further calls wait. */
const ownConnectionsMax = 256;

/**
 * The operations of this server as its own clients reach them: the same credentials, limits, checks and metering as
 * from outside. Calls made before it listens `at` an address fail as those to a server that cannot be reached.
 */
export function openPublished() {
  let url = 'http://127.0.0.1:1';
  const client = openClient({ url: () => url, key: null, connectionsMax: ownConnectionsMax });
  const at = (address: string): void => {
    url = address;
  };
  return { withKey: client.withKey, at, close: client.close };
}

function toApi(connection: Connection): PublishedApi {
  return {
    async call(asked) {
      const deadline = AbortSignal.timeout(asked.timeoutMs);
      const signal = AbortSignal.any([asked.signal, deadline]);
      return within(asked, deadline, connection.url, async () => {
        const answer = await send(connection, asked, { signal, accept: 'application/json' });
        const bytes = await readBytes(answer, answerBytesMax);
        if (answer.statusCode === 204) return null;
        const { value, keepDigits } = readJson(bytes, answer);
        await keepDigits?.(signal);
        return value;
      });
    },
    async *stream(asked) {
      const deadline = AbortSignal.timeout(asked.timeoutMs);
      const answer = await within(asked, deadline, connection.url, () =>
        send(connection, asked, {
          signal: asked.signal,
          headersTimeout: asked.timeoutMs,
          bodyTimeout: asked.timeoutMs,
          accept: 'text/event-stream',
        }),
      );
      const events = readEvents(answer.body, eventBytesMax);
      try {
        for (;;) {
          const step = await within(asked, null, connection.url, () => events.next());
          if (step.done === true) return;
          yield step.value;
        }
      } finally {
        // A reader that stops early closes the connection, and the server stops its work.
        answer.body.on('error', () => {}).destroy();
      }
    },
  };
}

/** Longest silence of an answer that is read as it comes. Unit: ms. */
const readSilenceMs = 60_000;

async function* read(
  connection: Connection,
  { path, signal }: Pick<ApiRequest, 'path' | 'signal'>,
): AsyncGenerator<Uint8Array> {
  const asked = { method: 'GET', path, timeoutMs: readSilenceMs, signal } as const;
  const limits = { headersTimeout: readSilenceMs, bodyTimeout: readSilenceMs, accept: '*/*' };
  const reading = <Value>(work: () => Promise<Value>) => within(asked, null, connection.url, work);
  const answer = await reading(() => send(connection, asked, { signal, ...limits }));
  const chunks = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await reading(() => chunks.next());
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    answer.body.on('error', () => {}).destroy();
  }
}

type SendOptions = { readonly accept: string } & Pick<
  Dispatcher.RequestOptions,
  'signal' | 'headersTimeout' | 'bodyTimeout'
>;

async function send(
  { agent, url, key }: Connection,
  { method, path, json, file, form, headers = {} }: ApiRequest,
  { accept, ...options }: SendOptions,
): Promise<Answer> {
  const answer = await request(`${url()}${path}`, {
    ...options,
    dispatcher: agent,
    method,
    headers: {
      accept,
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(file === undefined ? {} : { body: toForm(file) }),
    ...(form === undefined ? {} : { body: toUpload(form) }),
  });
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
  throw await toApiError(answer);
}

function toForm({ name, bytes }: NonNullable<ApiRequest['file']>): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  return form;
}

function toUpload({ fields, file }: NonNullable<ApiRequest['form']>): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(fields)) form.set(name, text);
  form.set('file', file.content, file.name);
  return form;
}

async function download(
  agent: Agent,
  link: string,
  { bytesMax, timeoutMs, signal }: DownloadOptions,
): Promise<Uint8Array> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const origin = () => URL.parse(link)?.origin ?? link;
  return within({ timeoutMs, signal }, deadline, origin, async () => {
    const answer = await request(link, { dispatcher: agent, signal: AbortSignal.any([signal, deadline]) });
    if (answer.statusCode !== 200) throw await toApiError(answer);
    return readBytes(answer, bytesMax);
  });
}

/** An abort stays one; a deadline and a broken connection become ApiErrors. */
async function within<Value>(
  { timeoutMs, signal }: Pick<ApiRequest, 'timeoutMs' | 'signal'>,
  deadline: AbortSignal | null,
  url: () => string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ApiError) throw error;
    const code = codeOf(error);
    if (deadline?.aborted === true || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
      throw new ApiError(`${url()} gave no answer within ${Math.ceil(timeoutMs / 1_000)} s.`, {
        cause: error,
      });
    }
    throw new ApiError(`${url()} cannot be reached: ${code ?? 'the connection broke off'}.`, {
      isUnreachable: true,
      cause: error,
    });
  }
}

/** The stable word of a failed connection, which may have been tried over several addresses. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = errorCode(error);
  if (code !== null) return code;
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error.cause];
  return first === undefined ? null : codeOf(first);
}

async function readBytes(answer: Answer, bytesMax: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new ApiError(`The answer is larger than ${bytesMax} bytes.`);
    parts.push(chunk);
  }
  return Buffer.concat(parts, size);
}

function readJson(bytes: Uint8Array, { headers, statusCode }: Answer): ParsedJson {
  try {
    return parseJson(bytes, { depthMax });
  } catch {
    throw new ApiError('The answer is not JSON: something other than Nestor is at this address.', {
      status: statusCode,
      requestId: headerOf(headers['x-request-id']),
    });
  }
}

async function toApiError(answer: Answer): Promise<ApiError> {
  const { statusCode: status, headers } = answer;
  let message: string | null = null;
  try {
    const body = await readBytes(answer, errorBytesMax);
    message = textAt(parseJson(body, { depthMax }).value, 'error', 'message');
  } catch {
    // The status alone is reported.
  }
  return new ApiError(message ?? `The server answered with status ${status}.`, {
    status,
    requestId: headerOf(headers['x-request-id']),
    retryAfterMs: retryAfterMs(headers, Date.now()),
  });
}

function headerOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
