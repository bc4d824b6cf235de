import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { zipSync, type ZippableFile } from 'fflate';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

/** What a server takes in one bundle. */
const filesMax = 500;
const bytesMax = 33_554_432;
const depthMax = 10;

/** Servers refuse a file that unpacks to more than 200 times its size as a bomb; one that would come near is stored. */
const ratioMax = 100;
/** The first day that a zip can name. */
const firstDay = new Date(1980, 0, 1);

/** A folder as a zip, files by name. The same folder always gives the same bytes. Throws UsageError. */
export function zipFolder(folder: string): Uint8Array {
  const paths = listFiles(folder);
  if (paths.length === 0) throw new UsageError('The folder is empty.');
  const files: Record<string, ZippableFile> = {};
  let size = 0;
  for (const path of paths) {
    const content = readFileSync(join(folder, path));
    size += content.length;
    if (size > bytesMax) throw new UsageError(`The folder has more than ${bytesMax} bytes.`);
    const isPacked = content.length <= deflateRawSync(content).length * ratioMax;
    files[path] = [content, { level: isPacked ? 6 : 0 }];
  }
  return zipSync(files, { mtime: firstDay });
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
