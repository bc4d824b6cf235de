import { crc32, inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import { fromBufferPromise, getFileNameLowLevel, type Entry, type ZipFile } from 'yauzl';
import { Fault } from '../../kernel/faults.ts';
import { quote } from '../../kernel/kit/text.ts';

/** What an archive may hold. Units: bytes, files, segments, UTF-16 units, times. */
const limits = {
  unzippedBytesMax: 33_554_432,
  fileBytesMax: 8_388_608,
  filesMax: 500,
  depthMax: 10,
  pathLengthMax: 255,
  ratioMax: 200,
} as const;

/** Files by path, in the order of the archive. */
export type ArchiveFiles = ReadonlyMap<string, Uint8Array>;

const inflate = promisify(inflateRaw);

/**
 * Reads a zip. Sizes are checked as declared and counted again while inflating, so that an entry that lies stops at
 * what it declared. Throws Fault `invalid_value` that names the entry. What operating systems leave behind
 * (`__MACOSX/`, `.DS_Store`) is passed over.
 */
export async function readArchive(bytes: Uint8Array): Promise<ArchiveFiles> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await open(buffer);
  const files = new Map<string, Uint8Array>();
  const claimed = new PathClaims();
  let unzipped = 0;
  let count = 0;
  for (const { entry, path } of await listEntries(zip)) {
    const isFolder = path.endsWith('/');
    refuseKind(entry, path, isFolder);
    claimed.add(path, isFolder);
    if (isFolder) continue;
    if (++count > limits.filesMax) throw refused(path, `the archive has more than ${limits.filesMax} files`);
    unzipped += entry.uncompressedSize;
    if (unzipped > limits.unzippedBytesMax)
      throw refused(path, `the archive is larger than ${limits.unzippedBytesMax} bytes unzipped`);
    refuseSize(entry, path);
    files.set(path, await readEntry(zip, buffer, entry, path));
  }
  return files;
}

async function open(buffer: Buffer): Promise<ZipFile> {
  try {
    // Names are decoded here, so that a bad one can be named; `autoClose` would close before its files are read.
    return await fromBufferPromise(buffer, { lazyEntries: true, autoClose: false, decodeStrings: false });
  } catch (error) {
    throw new Fault('invalid_value', 'file is not a zip archive', { param: 'file', cause: error });
  }
}

interface NamedEntry {
  readonly entry: Entry;
  readonly path: string;
}

/** All entries before any is read: a bad one at the end must not cost the inflating of the rest. */
async function listEntries(zip: ZipFile): Promise<NamedEntry[]> {
  const { filesMax, depthMax, pathLengthMax } = limits;
  const entries: NamedEntry[] = [];
  // Folders count no file, but they are not for free either.
  const entriesMax = filesMax * 4;
  if (zip.entryCount > entriesMax) throw refused('', `the archive has more than ${filesMax} files`);
  try {
    for await (const entry of zip.eachEntry()) {
      const path = getFileNameLowLevel(
        entry.generalPurposeBitFlag,
        entry.fileName as unknown as Buffer,
        entry.extraFields,
        true,
      );
      if (isLitter(path)) continue;
      refusePath(path, depthMax, pathLengthMax);
      entries.push({ entry, path });
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('invalid_value', 'file is not a readable zip archive', { param: 'file', cause: error });
  }
  return entries;
}

function isLitter(path: string): boolean {
  return path.startsWith('__MACOSX/') || path.split('/').at(-1) === '.DS_Store';
}

function refusePath(path: string, depthMax: number, lengthMax: number): void {
  const segments = path.replace(/\/$/, '').split('/');
  if (path.length > lengthMax) throw refused(path, `its path is longer than ${lengthMax} characters`);
  if (segments.length > depthMax) throw refused(path, `its path is deeper than ${depthMax} segments`);
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) throw refused(path, 'its path has a control character');
  if (path.includes('\\')) throw refused(path, 'its path has a backslash');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refused(path, 'its path is absolute');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw refused(path, 'its path has an empty, "." or ".." segment');
}

const unixTypeMask = 0o170_000;
const unixFile = 0o100_000;
const unixFolder = 0o040_000;

/** Only files and folders: links and devices would be something else once unpacked. */
function refuseKind(entry: Entry, path: string, isFolder: boolean): void {
  if (entry.isEncrypted()) throw refused(path, 'it is encrypted');
  const type = (entry.externalFileAttributes >>> 16) & unixTypeMask;
  if (type === 0) return;
  if (type !== (isFolder ? unixFolder : unixFile)) throw refused(path, 'it is neither a file nor a folder');
}

function refuseSize(entry: Entry, path: string): void {
  const { fileBytesMax, ratioMax } = limits;
  const { uncompressedSize, compressedSize, compressionMethod } = entry;
  if (uncompressedSize > fileBytesMax) throw refused(path, `it is larger than ${fileBytesMax} bytes`);
  if (uncompressedSize > compressedSize * ratioMax)
    throw refused(path, `it is compressed more than ${ratioMax} times`);
  if (compressionMethod !== 0 && compressionMethod !== 8)
    throw refused(path, 'its compression method is not supported');
}

async function readEntry(zip: ZipFile, buffer: Buffer, entry: Entry, path: string): Promise<Uint8Array> {
  const { uncompressedSize, compressedSize, compressionMethod } = entry;
  let content: Uint8Array;
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const data = buffer.subarray(fileDataStart, fileDataStart + compressedSize);
    // A copy, so that one small file does not keep the whole archive.
    content =
      compressionMethod === 0
        ? Uint8Array.from(data)
        : await inflate(data, { maxOutputLength: Math.max(1, uncompressedSize) });
  } catch (error) {
    throw refused(path, 'it cannot be unpacked', error);
  }
  if (content.length !== uncompressedSize) throw refused(path, 'its size is not the one that is declared');
  if (crc32(content) !== entry.crc32) throw refused(path, 'its checksum is wrong');
  return content;
}

/** Paths that are taken, as a file system that ignores letter case sees them. */
class PathClaims {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  add(path: string, isFolder: boolean): void {
    const key = path.replace(/\/$/, '').normalize('NFC').toLowerCase();
    const parents = key.split('/').slice(0, -1);
    if (this.#files.has(key) || (!isFolder && this.#folders.has(key)))
      throw refused(path, 'it is there twice');
    for (let depth = 1; depth <= parents.length; depth++) {
      const parent = parents.slice(0, depth).join('/');
      if (this.#files.has(parent)) throw refused(path, 'its folder is a file');
      this.#folders.add(parent);
    }
    (isFolder ? this.#folders : this.#files).add(key);
  }
}

function refused(path: string, reason: string, cause?: unknown): Fault {
  const subject = path === '' ? 'file' : `"${quote(path)}"`;
  return new Fault('invalid_value', `${subject} is refused: ${reason}`, { param: 'file', cause });
}
