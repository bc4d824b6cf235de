import { errorCode } from './errors.ts';

/**
 * Whether a process of this id runs on this machine: after a while it may be another one. What the system takes for a
 * group of processes, zero and less, is none.
 */
export function isProcessAlive(id: number): boolean {
  if (!Number.isSafeInteger(id) || id < 1) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // It is another user's.
    return errorCode(error) === 'EPERM';
  }
}
