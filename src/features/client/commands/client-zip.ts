import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

/** What a server takes in one bundle. */
const filesMax = 500;
const bytesMax = 33_554_432;
const depthMax = 10;

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endHeader = 0x06054b50;
const version = 20;
const utf8Names = 0x800;
const [stored, deflated] = [0, 8];
/** Servers refuse what unpacks to more than 200 times its size: it looks like a bomb. */
const ratioMax = 100;
/** 1980-01-01, the first day that a zip knows: the same folder always gives the same bytes. */
const firstDay = 0x21;

/** A folder as a zip, files by name, so that the same folder gives the same bytes. Throws UsageError. */
export function zipFolder(folder: string): Uint8Array {
  const paths = listFiles(folder);
  if (paths.length === 0) throw new UsageError('The folder is empty.');
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  let size = 0;
  for (const path of paths) {
    const content = readFileSync(join(folder, path));
    size += content.length;
    if (size > bytesMax) throw new UsageError(`The folder has more than ${bytesMax} bytes.`);
    const packed = deflateRawSync(content);
    const isPacked = packed.length < content.length && content.length / packed.length <= ratioMax;
    const data = isPacked ? packed : content;
    const method = isPacked ? deflated : stored;
    const name = Buffer.from(path);
    const sizes = [crc32(content), data.length, content.length] as const;
    const local = toHeader(localHeader, [version, utf8Names, method, 0, firstDay], sizes, [name.length, 0]);
    parts.push(local, name, data);
    directory.push(
      toHeader(centralHeader, [version, version, utf8Names, method, 0, firstDay], sizes, [
        name.length,
        0,
        0,
        0,
        0,
      ]),
      toNumbers([0, offset]),
      name,
    );
    offset += local.length + name.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = toHeader(endHeader, [0, 0, paths.length, paths.length], [central.length, offset], [0]);
  return Buffer.concat([...parts, central, end]);
}

/** Files below a folder with forward slashes. Links are not followed: they could lead anywhere. */
function listFiles(folder: string, below = '', depth = 1): readonly string[] {
  if (depth > depthMax) throw new UsageError(`The folder is deeper than ${depthMax} levels.`);
  const found: string[] = [];
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git' || entry.name === '.DS_Store') continue;
    if (entry.isDirectory()) found.push(...listFiles(folder, path, depth + 1));
    else if (entry.isFile()) found.push(path);
    else throw new UsageError(`${path} is neither a file nor a folder.`);
    if (found.length > filesMax) throw new UsageError(`The folder has more than ${filesMax} files.`);
  }
  return found;
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function toHeader(
  signature: number,
  first: readonly number[],
  sizes: readonly number[],
  last: readonly number[],
): Buffer {
  return Buffer.concat([toNumbers([signature]), toShorts(first), toNumbers(sizes), toShorts(last)]);
}

function toNumbers(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4);
  return buffer;
}

function toShorts(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16LE(value, index * 2);
  return buffer;
}
