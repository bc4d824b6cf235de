import { buffer } from 'node:stream/consumers';
import { zipSync } from 'fflate';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { UnreadableFile } from './job.ts';

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

const entriesMax = 2_000;
const entryBytesMax = 48_000_000;
const archiveBytesMax = 64_000_000;
/** The first day that a zip can name; nobody reads it. */
const firstDay = new Date(1980, 0, 1);

/**
 * The wanted entries of a zip archive, inflated under caps: sizes are checked before and while inflating, so that
 * an archive that lies about them ends here and not in a parser that believes it.
 */
export async function readArchive(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Promise<ArchiveEntry[]> {
  let archive: ZipFile;
  try {
    archive = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch {
    // Not an archive, or a broken one; the library's message repeats names out of the file.
    throw new UnreadableFile('unreadable');
  }
  if (archive.entryCount > entriesMax) throw new UnreadableFile('too_complex');
  const wanted: ArchiveEntry[] = [];
  let size = 0;
  try {
    for await (const entry of archive.eachEntry()) {
      if (!isWanted(entry.fileName)) continue;
      size += entry.uncompressedSize;
      if (entry.uncompressedSize > entryBytesMax || size > archiveBytesMax)
        throw new UnreadableFile('too_complex');
      wanted.push({ name: entry.fileName, bytes: await inflate(archive, entry) });
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile('unreadable');
  }
  return wanted;
}

async function inflate(archive: ZipFile, entry: Entry): Promise<Buffer> {
  return buffer(await archive.openReadStreamPromise(entry));
}

/** A zip archive of entries that are stored as they are. */
export function writeArchive(entries: readonly ArchiveEntry[]): Buffer {
  const files = Object.fromEntries(entries.map(({ name, bytes }) => [name, bytes] as const));
  return Buffer.from(zipSync(files, { level: 0, mtime: firstDay }));
}
