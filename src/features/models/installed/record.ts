import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../../kernel/kit/json.ts';
import type { InstalledModel } from './find.ts';

/** What is written beside a model that was pulled: whence it came, and the checksums by which it is known again. */
export interface ModelRecord {
  /** `owner/repository@revision`. */
  readonly source: string;
  readonly licence: string | null;
  readonly files: readonly RecordedFile[];
}

export interface RecordedFile {
  /** Path in the repository. */
  readonly file: string;
  /** Unit: bytes. */
  readonly size: number;
  readonly sha256: string;
}

type Place = Pick<InstalledModel, 'path' | 'form'>;

/** In the folder of a model, or beside its file. */
export const recordPath = ({ path, form }: Place): string =>
  form === 'onnx' ? join(path, 'nestor.json') : `${path}.json`;

export function writeRecord(model: Place, { source, licence, files }: ModelRecord): Promise<void> {
  return writeFile(recordPath(model), `${JSON.stringify({ source, licence, files }, null, 2)}\n`);
}

/** Null where there is none that can be read. */
export async function readRecord(model: Place): Promise<ModelRecord | null> {
  const text = await readFile(recordPath(model), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is ModelRecord {
  if (!isJsonObject(value)) return false;
  const { source, licence, files } = value;
  return (
    typeof source === 'string' &&
    (licence === null || typeof licence === 'string') &&
    Array.isArray(files) &&
    files.every(isRecordedFile)
  );
}

function isRecordedFile(value: unknown): value is RecordedFile {
  if (!isJsonObject(value)) return false;
  const { file, size, sha256 } = value;
  return typeof file === 'string' && typeof size === 'number' && typeof sha256 === 'string';
}
