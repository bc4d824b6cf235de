import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '../kit/process-alive.ts';
import { isJsonObject } from '../kit/json.ts';

const fileOf = (dataFolder: string): string => join(dataFolder, 'server.json');

/**
 * Writes where the server of a data folder listens, for commands that are given no address. Returns what takes it back.
 * A folder that cannot be written costs those commands the address, and the server nothing.
 */
export function announceServer(dataFolder: string, url: string): () => void {
  const path = fileOf(dataFolder);
  try {
    writeFileSync(path, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
  } catch {
    return () => undefined;
  }
  return () => {
    // Another server may have taken the folder over.
    if (read(path)?.pid === process.pid) rmSync(path, { force: true });
  };
}

/** The address of the server that runs on a data folder; null where none does. */
export function findServer(dataFolder: string): string | null {
  const found = read(fileOf(dataFolder));
  // A killed server leaves its file.
  return found !== null && isProcessAlive(found.pid) ? found.url : null;
}

function read(path: string): { readonly url: string; readonly pid: number } | null {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isJsonObject(found)) return null;
    const { url, pid } = found;
    return typeof url === 'string' && isLoopback(url) && typeof pid === 'number' ? { url, pid } : null;
  } catch {
    return null;
  }
}

/** A key is sent to what stands in the file, and a folder may be a stranger's: nothing of it leaves the machine. */
function isLoopback(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === 'http:' && (hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname ?? ''));
}
