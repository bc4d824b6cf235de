import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorMessage } from '../../kit/errors.ts';

import { lockFolder } from '../../kit/folder-lock.ts';
import { prepareFolder } from './open-file.ts';

/**
 * Locks an embedded store for one server. The system releases the lock when the process dies. Throws a one-line Error
 * that names the holder.
 */
export function lockStore(path: string) {
  prepareFolder(path);
  const lock = take(path);
  if (lock === null) {
    throw new Error(
      `database: ${path} is served by another server${holderOf(path)}; stop that one, or give this one a folder of its own with NESTOR_DATA. Several servers on one store need PostgreSQL`,
    );
  }
  writeFileSync(holderPath(path), `process ${process.pid} on ${hostname()}`, { mode: 0o600 });
  let isHeld = true;
  return {
    /** May be called again. */
    release(): void {
      if (!isHeld) return;
      isHeld = false;
      rmSync(holderPath(path), { force: true });
      lock.release();
    },
  };
}

function take(path: string): ReturnType<typeof lockFolder> {
  try {
    return lockFolder(`${path}.lock`);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`database: ${path} cannot be locked (${reason})`, { cause: error });
  }
}

const holderPath = (path: string): string => `${path}.lock-holder`;

/** The holder writes it just after taking the lock, so it may be missing. */
function holderOf(path: string): string {
  try {
    return ` (${readFileSync(holderPath(path), 'utf8').slice(0, 200)})`;
  } catch {
    return '';
  }
}
