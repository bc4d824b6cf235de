import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

/** A file in the smallest form that a client takes. */
interface ConsoleFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Absent where the bytes are the file itself. */
  readonly contentEncoding?: 'br' | 'gzip';
}

export type ConsoleFiles = ReturnType<typeof readConsole>;

/** Where `bin/console.mjs` puts the build. */
const built = new URL('../../../dist/console/', import.meta.url);

/** Stands in the built page wherever a nonce belongs (console/vite.config.ts). */
const noncePlaceholder = 'nonce-of-this-page';

/** Names that the build gives: no dots that climb, no folders. */
const namePattern = /^[A-Za-z0-9_-]{1,128}\.(?:js|css|svg)$/;

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Compressed when it was built, best first. */
const encodings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

/** Reads the built console. Each file is read once and kept: all of them are a few megabytes. */
export function readConsole(folder: URL = built) {
  const known = new Map<string, Promise<Buffer | null>>();
  const read = (name: string): Promise<Buffer | null> => {
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    const reading = readFile(new URL(name, folder)).catch(() => {
      // Not kept: the console may be built while the server runs, and callers may make up names without end.
      known.delete(name);
      return null;
    });
    known.set(name, reading);
    return reading;
  };
  return {
    /** The page with a nonce in its places; null where the console was not built. */
    async page(nonce: string): Promise<string | null> {
      const page = await readFile(new URL('index.html', folder), 'utf8').catch(() => null);
      return page?.replaceAll(noncePlaceholder, nonce) ?? null;
    },
    /** A file of the build by its name; null when there is none. `acceptEncoding` is the header of the request. */
    async asset(name: string, acceptEncoding: string): Promise<ConsoleFile | null> {
      if (!namePattern.test(name)) return null;
      const contentType = contentTypes[extname(name)] ?? 'application/octet-stream';
      for (const { name: contentEncoding, extension } of encodings) {
        const isTaken = isAccepted(acceptEncoding, contentEncoding);
        const bytes = isTaken ? await read(`assets/${name}${extension}`) : null;
        if (bytes !== null) return { bytes, contentType, contentEncoding };
      }
      const bytes = await read(`assets/${name}`);
      return bytes === null ? null : { bytes, contentType };
    },
  };
}

/** Whether a client names an encoding and does not refuse it by `q=0`. */
function isAccepted(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(',').some((one) => {
    const [name, ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
