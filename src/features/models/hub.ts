import { Readable } from 'node:stream';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import { withoutEndSlashes } from '../../kernel/kit/text.ts';
import { errorCode } from '../../kernel/kit/errors.ts';
import { UsageError } from '../../kernel/commands/exit-codes.ts';
import { isJsonObject, type Json } from '../../kernel/kit/json.ts';
import { listOf, objectOf } from '../../kernel/kit/json-fields.ts';
import { parseJson } from '../../kernel/kit/json-parse.ts';

/** Why a file cannot be pulled, in one line for a person. Names no secret. */
export class PullError extends Error {
  override readonly name = 'PullError';
  readonly retryable: boolean;

  constructor(message: string, { retryable = false, cause }: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.retryable = retryable;
  }
}

export interface HubFile {
  /** `owner/repository`. */
  readonly repository: string;
  readonly file: string;
  readonly revision: string;
}

interface HubAccess {
  /** Without a slash at the end. */
  readonly endpoint: string;
  readonly token: string | null;
  /** Through which https addresses are reached; null reaches them directly. */
  readonly proxy: string | null;
}

/** As the tools of Hugging Face read them: HF_ENDPOINT, HF_TOKEN and HTTPS_PROXY. */
export type HubVariables = Readonly<Record<'endpoint' | 'token' | 'proxy', string | undefined>>;

const usualEndpoint = 'https://huggingface.co';

/** Throws UsageError. */
export function toHubAccess({ endpoint: given = '', token, proxy }: HubVariables): HubAccess {
  const endpoint = withoutEndSlashes(given) || usualEndpoint;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new UsageError('HF_ENDPOINT is no http:// or https:// address.');
  return { endpoint, token: token || null, proxy: proxy || null };
}

export interface HubFileInfo {
  /** Unit: bytes; null when it is unknown. */
  readonly size: number | null;
  /** Hex; null for files that are not kept as large files, which have none. */
  readonly sha256: string | null;
}

export type Hub = ReturnType<typeof openHub>;

const answerTimeoutMs = 20_000;
/** Longest silence while a file is read. */
const silenceMs = 60_000;
const redirectsMax = 5;
const jsonBytesMax = 8_388_608;

/** The download side of the Hugging Face Hub: `resolve` addresses and two calls of its API. */
export function openHub(access: HubAccess) {
  const connect = { timeout: answerTimeoutMs };
  const timeouts = { headersTimeout: answerTimeoutMs, bodyTimeout: silenceMs, connect };
  const isProxied = access.proxy !== null && access.endpoint.startsWith('https:');
  const agent = isProxied ? new ProxyAgent({ uri: access.proxy ?? '', ...timeouts }) : new Agent(timeouts);
  const json = async (path: string, signal: AbortSignal): Promise<Json | null> => {
    const response = await follow(agent, access, `${access.endpoint}${path}`, { method: 'GET', signal });
    const bytes = await readCapped(response.body);
    if (response.statusCode !== 200 || bytes === null) return null;
    try {
      return parseJson(bytes, { depthMax: 64 }).value;
    } catch {
      return null;
    }
  };
  return {
    async inspect(file: HubFile, signal: AbortSignal): Promise<HubFileInfo> {
      const response = await follow(agent, access, toUrl(access, file), { method: 'HEAD', signal });
      await response.body.dump();
      refuse(response.statusCode, file, access);
      const info = toInfo(response);
      if (info.sha256 !== null) return info;
      const large = findLarge(await json(toTreePath(file), signal), file.file);
      return { size: large?.size ?? info.size, sha256: large?.sha256 ?? null };
    },
    /** The body from this byte on; the returned `from` is where it really begins. */
    async read(file: HubFile, from: number, signal: AbortSignal): Promise<FileBody> {
      const headers: HubRequest['headers'] = from > 0 ? { range: `bytes=${from}-` } : {};
      const asked: HubRequest = { method: 'GET', headers, signal };
      return toBody(await follow(agent, access, toUrl(access, file), asked), from, file, access);
    },
    /** Files of a repository. */
    list: async (repository: string, signal: AbortSignal) =>
      toNames(await json(`/api/models/${encodePath(repository)}`, signal)),
    close: () => agent.destroy(),
  };
}

interface HubRequest {
  readonly method: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface FileBody {
  readonly from: number;
  readonly body: AsyncIterable<Buffer>;
}

function toInfo({ statusCode, headers }: Dispatcher.ResponseData): HubFileInfo {
  const etag = /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(one(headers['x-linked-etag']) ?? '')?.[1];
  const length = statusCode === 200 ? one(headers['content-length']) : undefined;
  return {
    size: toSize(one(headers['x-linked-size']) ?? length),
    sha256: etag?.toLowerCase() ?? null,
  };
}

async function toBody(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  from: number,
  file: HubFile,
  access: HubAccess,
): Promise<FileBody> {
  if (status >= 400) await body.dump();
  // Nothing is left of the file: what is there may be all of it.
  if (status === 416) return { from, body: Readable.from([]) };
  refuse(status, file, access);
  const begins = /^bytes (\d+)-/.exec(one(headers['content-range']) ?? '')?.[1];
  return { from: status === 206 && begins !== undefined ? Number(begins) : 0, body };
}

function toNames(body: Json | null): readonly string[] {
  return (listOf(objectOf(body)['siblings']) ?? []).flatMap((entry) => {
    const { rfilename: name } = objectOf(entry);
    return typeof name === 'string' ? [name] : [];
  });
}

/** Follows redirects by hand, because files lie on other hosts, which must never see the token. */
async function follow(agent: Dispatcher, { endpoint, token }: HubAccess, from: string, asked: HubRequest) {
  let url = from;
  for (let step = 0; step <= redirectsMax; step++) {
    const own = new URL(url).origin === new URL(endpoint).origin;
    const headers = {
      'user-agent': 'nestor',
      'accept-encoding': 'identity',
      ...asked.headers,
      ...(own && token !== null && { authorization: `Bearer ${token}` }),
    };
    const response = await send(agent, url, { ...asked, headers });
    const next = one(response.headers.location);
    const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode) && next !== undefined;
    // The address of the file itself answers with its facts and redirects to the bytes.
    const isInfo = asked.method === 'HEAD' && response.headers['x-linked-etag'] !== undefined;
    if (!isRedirect || isInfo) return response;
    await response.body.dump();
    const target = URL.canParse(next, url) ? new URL(next, url) : null;
    if (target === null || !/^https?:$/.test(target.protocol))
      throw new PullError('The Hub redirects to an address that cannot be used.');
    url = target.href;
  }
  throw new PullError('The Hub redirects in a circle.');
}

async function send(agent: Dispatcher, url: string, options: HubRequest): Promise<Dispatcher.ResponseData> {
  try {
    return await request(url, { dispatcher: agent, ...options });
  } catch (error) {
    options.signal.throwIfAborted();
    const reason = reasonOf(error);
    const { host } = new URL(url);
    throw new PullError(
      `${host} cannot be reached (${reason}). Where the network does not allow it, set HF_ENDPOINT to a mirror that is reachable, or copy a GGUF file into the folder \`models\` of the data folder by other means.`,
      { cause: error, retryable: true },
    );
  }
}

/** A code such as ECONNREFUSED, which says more than the words around it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : undefined;
  return errorCode(error) ?? errorCode(inner) ?? error.message.slice(0, 120);
}

function refuse(status: number, { repository, file, revision }: HubFile, { endpoint, token }: HubAccess) {
  if (status < 400) return;
  const { host } = new URL(endpoint);
  if (status === 401 || status === 403) {
    const hint =
      token === null ? 'set HF_TOKEN to a token that may read it' : 'the token in HF_TOKEN may not read it';
    throw new PullError(
      `${host} refuses ${repository} (status ${status}): it does not exist, is private, or its terms have to be accepted on its page first; ${hint}. A proxy that filters downloads answers like this as well.`,
    );
  }
  if (status === 404) throw new PullError(`${host} has no file ${file} in ${repository} at ${revision}.`);
  const retryable = status === 429 || status >= 500;
  throw new PullError(`${host} answered with status ${status}.`, { retryable });
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const toUrl = ({ endpoint }: HubAccess, { repository, revision, file }: HubFile): string =>
  `${endpoint}/${encodePath(repository)}/resolve/${encodeURIComponent(revision)}/${encodePath(file)}`;

function toTreePath({ repository, revision, file }: HubFile): string {
  const folder = file.includes('/') ? `/${encodePath(file.slice(0, file.lastIndexOf('/')))}` : '';
  return `/api/models/${encodePath(repository)}/tree/${encodeURIComponent(revision)}${folder}`;
}

/** Size and checksum of a large file in a list of a folder. */
function findLarge(body: Json | null, path: string): HubFileInfo | null {
  const entry = (listOf(body) ?? []).find((one) => objectOf(one)['path'] === path);
  if (entry === undefined) return null;
  const { lfs } = objectOf(entry);
  const { oid } = objectOf(lfs);
  const { size } = isJsonObject(lfs) ? lfs : objectOf(entry);
  const sha256 = typeof oid === 'string' && /^[0-9a-f]{64}$/.test(oid) ? oid : null;
  return { size: typeof size === 'number' && Number.isSafeInteger(size) ? size : null, sha256 };
}

function toSize(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

async function readCapped(body: Dispatcher.ResponseData['body']): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > jsonBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
