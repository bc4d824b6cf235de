import { open, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { Fault } from '../../../kernel/faults.ts';

/** Files of the operator that are batches. */
export interface BatchFiles {
  /** Throws Fault `invalid_value` for a path that leads out of the data folder, and for what is no file. */
  open(path: string, signal: AbortSignal): Promise<{ name: string; content: AsyncIterable<Buffer> }>;
}

/** Files in the data folder: links are followed first, and may not lead out of it. */
export function createBatchFiles(dataFolder: string, bytesMax: number): BatchFiles {
  return {
    async open(path, signal) {
      const file = await findWithin(dataFolder, path);
      const handle = await open(file, 'r').catch((cause: unknown) => Promise.reject(noFile(cause)));
      const { size, isRegular } = await handle
        .stat()
        .then((found) => ({ size: found.size, isRegular: found.isFile() }));
      if (!isRegular || size > bytesMax) {
        await handle.close();
        throw isRegular ? new Fault('body_too_large', `file is larger than ${bytesMax} bytes`) : noFile();
      }
      const content = handle.createReadStream({ signal }) as AsyncIterable<Buffer>;
      return { name: basename(file), content };
    },
  };
}

async function findWithin(folder: string, path: string): Promise<string> {
  if (isAbsolute(path) || path.includes('\0')) throw noFile();
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path));
    const way = relative(root, file);
    if (way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return file;
  } catch (cause) {
    throw noFile(cause);
  }
  throw noFile();
}

function noFile(cause?: unknown): Fault {
  return new Fault('invalid_value', 'file must be the path of a file in the data folder', {
    param: 'file',
    cause,
  });
}
