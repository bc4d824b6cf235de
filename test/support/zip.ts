import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a zip, with everything about it that may be a lie. */
export interface ZipEntry {
  readonly path: string | Buffer;
  readonly content?: string | Buffer;
  readonly stored?: boolean;
  /** Unix mode, for example 0o120777 for a symbolic link. */
  readonly mode?: number;
  readonly flags?: number;
  readonly declaredSize?: number;
  readonly crc?: number;
  readonly method?: number;
}

/** By content: large ones are given again and again. */
const deflated = new WeakMap<Buffer, Buffer>();

function deflate(content: Buffer): Buffer {
  const data = deflated.get(content) ?? deflateRawSync(content);
  deflated.set(content, data);
  return data;
}

/** A zip with exactly these entries, written by hand so that it can be wrong in every way. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path);
    const { content: given = '' } = entry;
    const content = typeof given === 'string' ? Buffer.from(given) : given;
    const method = entry.method ?? (entry.stored === true ? 0 : 8);
    const data = method === 0 ? content : deflate(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((entry.flags ?? 0) | 0x800, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(entry.crc ?? crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(entry.declaredSize ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, name);
    offset += 30 + name.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

export const skillText =
  '---\nname: weekly-report\ndescription: Writes the weekly report.\n---\n# How\n\nWrite it.\n';

/** A good bundle, with further entries. */
export function skillZip(more: readonly ZipEntry[] = [], text = skillText): Buffer {
  return zipOf([{ path: 'SKILL.md', content: text }, ...more]);
}
