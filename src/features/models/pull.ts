import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PullError, reasonOf, type Hub, type HubFile, type HubFileInfo } from './hub.ts';

export interface PullRequest {
  readonly file: HubFile;
  /** Folder that the file goes into; made where it is missing. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** `total` is null while it is unknown. Unit: bytes. */
  readonly onProgress: (done: number, total: number | null) => void;
  readonly onRetry: (reason: string) => void;
  /** What is known of the file without the Hub. A file that the Hub tells otherwise of is refused. */
  readonly expected?: HubFileInfo;
  /** Whether another file of its name may go for it; true by default. */
  readonly mayReplace?: boolean;
  /** First wait before another attempt; doubles. Unit: ms. */
  readonly retryMs?: number;
}

export interface Pulled {
  readonly path: string;
  /** Unit: bytes. */
  readonly size: number;
  readonly sha256: string;
  /** Whether there was a checksum to compare with, that of the Hub or a known one. */
  readonly isVerified: boolean;
  readonly wasThere: boolean;
}

type Downloaded = Pick<Pulled, 'size' | 'sha256'>;

/** Attempts in a row that bring no byte. */
const emptyAttemptsMax = 5;
const retryMaxMs = 15_000;

/**
 * `owner/repository/path/to/file.gguf`, with `@revision` at the end where it is not `main`. An address of the Hub's site
 * is taken as well. Throws PullError.
 */
export function parseReference(text: string): HubFile & { readonly file: string } {
  const bare = text
    .replace(/^(?:https?:\/\/)?(?:www\.)?(?:huggingface\.co|hf\.co)\//, '')
    .replace(/[?#][^]*$/, '');
  const [path = '', revision = 'main'] = bare.split(/@(?=[^/@]+$)/);
  const parts = path.split('/').filter((part) => part !== '');
  const [owner = '', name = '', ...rest] = parts;
  const isAddress = (rest[0] === 'resolve' || rest[0] === 'blob') && rest.length > 2;
  const file = (isAddress ? rest.slice(2) : rest).join('/');
  const isName = (part: string) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part);
  if (!isName(owner) || !isName(name) || rest.includes('..'))
    throw new PullError(`"${text}" is no file of the Hub; expected owner/repository/file.gguf.`);
  return { repository: `${owner}/${name}`, file, revision: isAddress ? (rest[1] ?? revision) : revision };
}

/**
 * Downloads a file: what an earlier attempt brought is kept and continued, connections that break are tried again,
 * and only a complete file with the right checksum gets its name. Throws PullError.
 */
export async function pull(hub: Hub, request: PullRequest): Promise<Pulled> {
  const { file, folder, signal, mayReplace = true } = request;
  const info = toKnown(await hub.inspect(file, signal), request);
  const path = join(folder, basename(file.file));
  await mkdir(dirname(path), { recursive: true });
  const before = await findComplete(path, info, signal);
  if (before !== null) return before;
  if (!mayReplace && (await sizeOf(path)) > 0) throw new PullError(isAnother(path));
  // Named after the content, so that a file that changed on the Hub is never continued with another one's bytes.
  const part = `${path}.${info.sha256?.slice(0, 16) ?? `${info.size ?? 'unknown'}-unverified`}.part`;
  const lack = info.size === null ? null : await lackOfSpace(folder, info.size - (await sizeOf(part)));
  if (lack !== null) throw new PullError(`${folder} has ${lack}.`);
  const downloaded = await download(hub, request, info, part);
  await check(file.file, part, info, downloaded);
  await rename(part, path);
  await syncFolder(folder);
  return { path, ...downloaded, isVerified: info.sha256 !== null, wasThere: false };
}

export const isAnother = (path: string): string =>
  `${path} is there and is not what this pull brings; nestor models rm ${basename(path)} removes it.`;

/** What the Hub tells and what is known of a file, together. Throws PullError where they differ. */
function toKnown(told: HubFileInfo, { file, expected }: PullRequest): HubFileInfo {
  const { size = null, sha256 = null } = expected ?? {};
  const differs = <Value>(a: Value | null, b: Value | null) => a !== null && b !== null && a !== b;
  if (differs(told.sha256, sha256) || differs(told.size, size))
    throw new PullError(
      `${file.file} of ${file.repository} is not the file that is known: the Hub tells ${told.size} bytes and the checksum ${told.sha256}, expected are ${size} and ${sha256}.`,
    );
  return { size: told.size ?? size, sha256: told.sha256 ?? sha256 };
}

async function findComplete(path: string, info: HubFileInfo, signal: AbortSignal): Promise<Pulled | null> {
  const size = await sizeOf(path);
  if (size === 0 || info.sha256 === null || size !== info.size) return null;
  const hash = createHash('sha256');
  await hashInto(hash, path, signal);
  const sha256 = hash.digest('hex');
  return sha256 === info.sha256 ? { path, size, sha256, isVerified: true, wasThere: true } : null;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function hashInto(hash: Hash, path: string, signal: AbortSignal): Promise<void> {
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk as Buffer);
}

/** What the disk of a folder lacks for so many bytes, in words; null where they fit. */
export async function lackOfSpace(folder: string, needed: number): Promise<string | null> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= needed) return null;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  return `${gigabytes(free)} free, and ${gigabytes(needed)} are needed`;
}

/** Reads until the file is whole. Returns its size and checksum. */
async function download(hub: Hub, request: PullRequest, info: HubFileInfo, part: string) {
  const { signal, onRetry, retryMs = 500 } = request;
  for (let empty = 0; ;) {
    const before = await sizeOf(part);
    try {
      return await readOnce(hub, request, info, part);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PullError && !error.retryable) throw error;
      empty = (await sizeOf(part)) > before ? 0 : empty + 1;
      if (empty >= emptyAttemptsMax) throw toPullError(error);
      onRetry(error instanceof PullError ? error.message : `the connection broke: ${reasonOf(error)}`);
      await pause(Math.min(retryMaxMs, retryMs * 2 ** empty), undefined, { signal });
    }
  }
}

function toPullError(error: unknown): PullError {
  if (error instanceof PullError) return error;
  return new PullError(
    `The download broke off (${reasonOf(error)}) and no attempt since brought anything; what came is kept, and the same command continues it.`,
    { cause: error },
  );
}

async function readOnce(
  hub: Hub,
  { file, signal, onProgress }: PullRequest,
  info: HubFileInfo,
  part: string,
): Promise<Downloaded> {
  const had = await sizeOf(part);
  const stopping = new AbortController();
  const { from, body } = await hub.read(file, had, AbortSignal.any([signal, stopping.signal]));
  // A server without ranges begins again, and so do we; one that begins elsewhere is not understood.
  const start = from === had ? had : 0;
  if (from !== start) throw new PullError('The server continues at another byte than it was asked for.');
  const hash = createHash('sha256');
  const handle = await open(part, start === 0 ? 'w' : 'a');
  try {
    if (start > 0) await hashInto(hash, part, signal);
    let size = start;
    onProgress(size, info.size);
    for await (const chunk of body) {
      if (info.size !== null && size + chunk.length > info.size) {
        stopping.abort(new Error('too long'));
        await handle.truncate(0);
        throw new PullError('The server sends more than the file is long.');
      }
      // Unlike `write`, it writes all of the chunk.
      await handle.writeFile(chunk);
      hash.update(chunk);
      size += chunk.length;
      onProgress(size, info.size);
    }
    if (info.size !== null && size < info.size)
      throw new PullError('The download ended early.', { retryable: true });
    await handle.sync();
    return { size, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

async function check(
  name: string,
  part: string,
  info: HubFileInfo,
  { size, sha256 }: Downloaded,
): Promise<void> {
  const refuse = async (reason: string): Promise<never> => {
    await rm(part, { force: true });
    throw new PullError(`${reason} What was read has been deleted; try again.`);
  };
  if (info.size !== null && size !== info.size)
    await refuse(`The file has ${size} bytes in place of ${info.size}.`);
  if (info.sha256 !== null && sha256 !== info.sha256)
    await refuse(`The checksum is ${sha256} in place of ${info.sha256}: the file was damaged on its way.`);
  if (name.endsWith('.gguf') && (await readMagic(part)) !== 'GGUF')
    await refuse('What came is no GGUF file.');
}

async function readMagic(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A rename is lasting when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => null);
  // Windows cannot open folders, and keeps the order of its own accord.
  await handle?.sync().catch(() => {});
  await handle?.close();
}
