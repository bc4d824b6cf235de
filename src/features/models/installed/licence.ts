import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readGgufHeader } from '../providers/local/gguf.ts';
import type { InstalledModel } from './find.ts';
import { readRecord } from './record.ts';

/** What was written down when it was pulled, or what the model says itself; null where neither says anything. */
export async function licenceOf(model: InstalledModel): Promise<string | null> {
  const record = await readRecord(model);
  if (record !== null && record.licence !== null) return record.licence;
  const { path, form } = model;
  return form === 'onnx' ? licenceOfPage(join(path, 'README.md')) : licenceOfHeader(path);
}

/** The facts of a page stand at its beginning. Unit: bytes. */
const factsBytesMax = 65_536;

/** Pages of repositories begin with facts between two lines of dashes. */
async function licenceOfPage(path: string): Promise<string | null> {
  const [first, ...lines] = (await readStart(path)).split(/\r?\n/);
  if (first !== '---') return null;
  const facts = lines.slice(0, Math.max(0, lines.indexOf('---')));
  const line = facts.find((one) => one.startsWith('license:'));
  return line?.slice('license:'.length).replaceAll(/["']/g, '').trim() || null;
}

async function readStart(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  try {
    const read = await file?.read(Buffer.alloc(factsBytesMax), 0, factsBytesMax, 0);
    return read?.buffer.toString('utf8', 0, read.bytesRead) ?? '';
  } finally {
    await file?.close();
  }
}

async function licenceOfHeader(path: string): Promise<string | null> {
  const header = await readGgufHeader(path).catch(() => null);
  const licence = header?.metadata.get('general.license');
  return typeof licence === 'string' && licence !== '' ? licence : null;
}
