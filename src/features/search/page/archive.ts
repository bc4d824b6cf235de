import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { UnreadableFile } from './unreadable-file.ts';

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

const entriesMax = 2_000;
const entryBytesMax = 48_000_000;
const archiveBytesMax = 64_000_000;

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
    // Not an archive, or a broken one; what the library says repeats names out of the file.
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
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const title = Buffer.from(name, 'utf8');
    // Version 2.0, names in UTF-8, stored, no time; then checksum and sizes.
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(bytes.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fields, title]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, tail, title]));
    parts.push(local, bytes);
    offset += local.length + bytes.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
