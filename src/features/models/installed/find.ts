import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A model that lies in the data folder, known by its file names alone. */
export interface InstalledModel {
  /** Name of its file or folder. */
  readonly name: string;
  readonly path: string;
  /** `part`: a download that was broken off. */
  readonly form: 'gguf' | 'onnx' | 'part';
  /** Of all its files. Unit: bytes. */
  readonly sizeBytes: number;
}

/** The folder of models in the data folder. */
export const modelsFolder = (dataFolder: string): string => join(dataFolder, 'models');

/** What lies in the folder `models` of the data folder, then in the data folder itself, each by name. */
export async function findInstalled(dataFolder: string): Promise<readonly InstalledModel[]> {
  const found: InstalledModel[] = [];
  for (const place of [modelsFolder(dataFolder), dataFolder]) {
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    for (const { name } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(place, name);
      const form = name.startsWith('.') || path === modelsFolder(dataFolder) ? null : await formOf(path);
      if (form !== null) found.push({ name, path, form, sizeBytes: await sizeOf(path) });
    }
  }
  return found;
}

/** Names of files may be given without their ending. */
export const isNamed = ({ name }: InstalledModel, given: string): boolean =>
  name === given || name === `${given}.gguf`;

async function formOf(path: string): Promise<InstalledModel['form'] | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) return (await holdsGraph(path)) ? 'onnx' : null;
  const forms: Readonly<Record<string, InstalledModel['form']>> = { '.gguf': 'gguf', '.part': 'part' };
  return forms[extname(path)] ?? null;
}

async function holdsGraph(folder: string): Promise<boolean> {
  const names = await Promise.all([folder, join(folder, 'onnx')].map((one) => readdir(one).catch(() => [])));
  return names.flat().some((name) => name.endsWith('.onnx'));
}

/** Of a file, or of everything below a folder. What cannot be read counts nothing. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) return found?.size ?? 0;
  const names = await readdir(path).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
