import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isProcessAlive } from '../../../kernel/kit/process-alive.ts';
import type { InstalledModel } from './find.ts';
import { recordPath } from './record.ts';

/**
 * Runs work with a folder on the same disk as `path`, in which nothing looks for models. It is gone afterwards, and so
 * are those of processes that were killed.
 */
export async function withStaging<Result>(
  path: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const all = join(dirname(path), '.staging');
  await mkdir(all, { recursive: true });
  for (const name of await readdir(all))
    if (!isProcessAlive(Number(name))) await rm(join(all, name), { recursive: true, force: true });
  const folder = join(all, String(process.pid));
  await mkdir(folder, { recursive: true });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    // Others may have theirs in it.
    await rmdir(all).catch(() => {});
  }
}

/**
 * Removes a model whole: it is taken away by one rename, so that no start finds half of it. What was written beside it
 * goes with it.
 */
export async function removeModel(model: InstalledModel): Promise<void> {
  const { path } = model;
  await withStaging(path, (folder) => rename(path, join(folder, basename(path))));
  await rm(recordPath(model), { force: true });
}
