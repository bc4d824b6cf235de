import { fail } from 'node:assert/strict';

export type Json = Readonly<Record<string, unknown>>;

export interface SoakClient {
  /** Ids of requests that were answered and have to stand in the ledger. */
  readonly billed: ReadonlySet<string>;
  /** Ids of streams that were left: they may stand there, once. */
  readonly left: ReadonlySet<string>;
  /** A job is billed under its own id when it is done. */
  readonly jobDone: (id: string) => void;
  readonly json: (path: string, body?: object, options?: CallOptions) => Promise<Json>;
  /** The whole text of a stream that has to be billed. */
  readonly text: (path: string, body: object) => Promise<string>;
  /** The whole text of what is read again and costs nothing. */
  readonly get: (path: string) => Promise<string>;
  /** Reads the beginning of a stream and leaves. */
  readonly leave: (path: string, body: object) => Promise<void>;
}

export interface CallOptions {
  readonly method?: string;
  readonly key?: string;
  /** 200 unless said otherwise. */
  readonly status?: number;
  /** Whether the answer has a row in the ledger. */
  readonly isBilled?: boolean;
}

const answerMs = 120_000;

/** Calls one server, and notes what it has to have billed. */
export function createSoakClient(url: string, rootKey: string): SoakClient {
  const billed = new Set<string>();
  const left = new Set<string>();
  const send = (path: string, body: object | undefined, { method, key = rootKey }: CallOptions) =>
    fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(answerMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const idOf = (response: Response) => response.headers.get('x-request-id') ?? fail('no x-request-id');
  const whole = async (path: string, body: object | undefined, isBilled: boolean) => {
    const response = await send(path, body, {});
    const text = await response.text();
    if (response.status !== 200) fail(`${path}: ${response.status} ${text}`);
    if (isBilled) billed.add(idOf(response));
    return text;
  };
  return {
    billed,
    left,
    jobDone: (id) => void billed.add(id),
    async json(path, body, options = {}) {
      const response = await send(path, body, options);
      const text = await response.text();
      if (response.status !== (options.status ?? 200)) fail(`${path}: ${response.status} ${text}`);
      if (options.isBilled === true) billed.add(idOf(response));
      return JSON.parse(text) as Json;
    },
    text: (path, body) => whole(path, body, true),
    get: (path) => whole(path, undefined, false),
    async leave(path, body) {
      const response = await send(path, body, {});
      if (response.status !== 200) fail(`${path}: ${response.status} ${await response.text()}`);
      left.add(idOf(response));
      const reader = response.body?.getReader() ?? fail('no body');
      for (let pieces = 0; pieces < 3; pieces++) await reader.read();
      await reader.cancel();
    },
  };
}
