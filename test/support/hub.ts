import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestScope } from './server.ts';
import { until } from './until.ts';

export interface HubScript {
  readonly repository: string;
  readonly file: string;
  readonly content: Buffer;
  /** In place of the real checksum; null tells none at all. */
  readonly sha256?: string | null;
  /** Tells the checksum in the list of the folder only, as the API does. */
  readonly isInTreeOnly?: boolean;
  /** The connection breaks after so many bytes, in order of the downloads; those after the last are whole. */
  readonly cuts?: readonly number[];
  /** Bytes of the file that the reader has taken; a connection breaks when all that was sent has been. */
  readonly taken?: () => number;
  /** A download waits for it in its midst. */
  readonly holds?: () => Promise<void>;
  /** Ignores ranges, as some mirrors do. */
  readonly hasNoRanges?: boolean;
  /** Of every answer of the Hub. */
  readonly status?: number;
  /** What a download sends in place of the content. */
  readonly sent?: Buffer;
  readonly others?: readonly string[];
  /** Commit at which the files lie; `main` by default. */
  readonly revision?: string;
  /** Further files, which are not kept as large files and have no checksum. */
  readonly small?: Readonly<Record<string, Buffer>>;
}

export interface HubRequest {
  readonly host: 'hub' | 'files';
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

export interface ScriptedHub {
  readonly url: string;
  readonly requests: readonly HubRequest[];
}

/** The download side of the Hugging Face Hub: files lie on another host, to which it redirects. */
export async function startHub(t: TestScope, script: HubScript): Promise<ScriptedHub> {
  const requests: HubRequest[] = [];
  const see = (host: HubRequest['host'], { method = '', url = '', headers }: IncomingMessage) => {
    requests.push({ host, method, path: url, range: headers.range, authorization: headers.authorization });
  };
  const cuts = [...(script.cuts ?? [])];
  const files = await listen(t, (request, response) => {
    see('files', request);
    sendFile(request, response, script, cuts.shift());
  });
  const url = await listen(t, (request, response) => {
    see('hub', request);
    answer(request, response, script, files);
  });
  return { url, requests };
}

async function listen(t: TestScope, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(request: IncomingMessage, response: ServerResponse, script: HubScript, files: string): void {
  const { repository, file, content, revision = 'main', small = {} } = script;
  const { pathname } = new URL(request.url ?? '', 'http://hub');
  const sha256 =
    script.sha256 === undefined ? createHash('sha256').update(content).digest('hex') : script.sha256;
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const bytes = small[pathname.slice(`/${repository}/resolve/${revision}/`.length)];
  if (script.status !== undefined) return void json(script.status, { error: 'scripted' });
  const folder = file.includes('/') ? `/${file.slice(0, file.lastIndexOf('/'))}` : '';
  if (pathname === `/${repository}/resolve/${revision}/${file}`) {
    const linked = {
      'x-repo-commit': '6878af6',
      'x-linked-size': String(content.length),
      'x-linked-etag': `"${sha256}"`,
    };
    const told = sha256 === null || script.isInTreeOnly === true ? {} : linked;
    response.writeHead(302, { ...told, location: `${files}/blob?signature=1` }).end();
  } else if (pathname === `/api/models/${repository}/tree/${revision}${folder}`) {
    const lfs = sha256 === null ? {} : { lfs: { oid: sha256, size: content.length, pointerSize: 134 } };
    json(200, [
      { type: 'file', path: 'README.md', size: 3 },
      { type: 'file', path: file, size: content.length, ...lfs },
    ]);
  } else if (pathname === `/api/models/${repository}`) {
    const names = [...(script.others ?? []), ...Object.keys(small), file];
    json(200, { siblings: names.map((rfilename) => ({ rfilename })) });
  } else if (bytes !== undefined) {
    response.writeHead(200, { 'content-length': bytes.length, etag: '"72b987fd"' }).end(bytes);
  } else json(404, { error: 'Entry not found' });
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { content, sent = content, hasNoRanges = false, taken = () => Infinity, holds }: HubScript,
  cut: number | undefined,
): void {
  const from = hasNoRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from >= sent.length && from > 0) return void response.writeHead(416).end();
  const body = sent.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': body.length,
    etag: '"x"',
    ...(from > 0 && { 'content-range': `bytes ${from}-${sent.length - 1}/${sent.length}` }),
  });
  if (request.method === 'HEAD') return void response.end();
  if (holds !== undefined) {
    const half = Math.floor(body.length / 2);
    response.write(body.subarray(0, half));
    void holds().then(() => response.end(body.subarray(half)));
    return;
  }
  if (cut === undefined) return void response.end(body);
  response.write(body.subarray(0, cut), () => {
    void until(() => taken() >= from + cut).then(() => response.destroy());
  });
}
