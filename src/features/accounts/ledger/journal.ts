import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../kernel/kit/errors.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import { lockFolder, type FolderLock } from '../../../kernel/kit/folder-lock.ts';
import { readFrames } from './frames.ts';
import { openLeftovers, removeFolder, type PendingRows } from './leftovers.ts';
import type { Segment } from './segment.ts';
import { Segments } from './segments.ts';

export interface JournalOptions {
  /** Shared by all processes of a data folder. */
  readonly folder: string;
  /** Unique to this process; never reused. */
  readonly name: string;
  readonly clock: Clock;
  /** Called once for each entry of the folder that is not the ledger's. */
  readonly onStray: (name: string) => void;
  readonly segmentBytes?: number;
  /** On disk, of this process. */
  readonly bytesMax?: number;
}

const mebibyte = 1_048_576;
const readBytesMax = 262_144;

/** Where the journals of all servers on a data folder lie. */
export function ledgerFolderOf(dataFolder: string): string {
  return join(dataFolder, 'usage-journal');
}

export type Journal = ReturnType<typeof openJournal>;

/**
 * Opens the journal of one process: rows on disk between the request that made them and the store that keeps them. A
 * row is with the operating system when `append` returns (4 us), so killing the process loses none; it is handed on
 * from there, as often as it takes. Throws an Error of one line that begins with `ledger: `.
 *
 * Room comes before rows: `reserve` promises the room of one row out of segments that lie on the disk already, so a
 * disk that is full is met before the work that a row is for, not after it.
 */
export function openJournal(options: JournalOptions) {
  const { folder, name, clock, onStray, segmentBytes = mebibyte, bytesMax = 1_024 * mebibyte } = options;
  const own = join(folder, name);
  const lock = openFolder(own);
  const leftovers = openLeftovers({ folder, own: name, now: () => clock.now(), onStray });
  const monotonic = () => clock.monotonic();
  const segments = new Segments({ folder: own, segmentBytes, bytesMax, monotonic });
  segments.prepare();
  let rows = 0;

  const rowsOf = (segment: Segment): PendingRows => ({
    read: () => readRows(segment),
    advance({ bytes, texts, bad }) {
      segment.advance(bytes);
      rows -= texts.length + bad.length;
      if (segment.pending === 0) segments.settle(segment);
      // Damage may have made one record of several.
      if (segments.pendingBytes === 0) rows = 0;
    },
  });

  return {
    /** Takes the room of one row; false where there is none. */
    reserve: () => segments.reserve(),
    /** Gives the room back, whether or not a row goes into it. */
    release: () => segments.release(),
    /** Throws where the row is too large or the disk refuses what it promised. */
    append(text: string): void {
      segments.append(text);
      rows++;
    },
    /** Writes several rows at once. False where they have to go one by one; then none of them is there. */
    appendGroup(texts: readonly string[]): boolean {
      const isWritten = segments.appendGroup(texts);
      if (isWritten) rows += texts.length;
      return isWritten;
    },
    /** What is to be handed on: rows of processes that have gone first, then the own ones, oldest first. */
    pending(): readonly PendingRows[] {
      segments.prepare();
      return [...leftovers.pending(), ...segments.pending.map((segment) => rowsOf(segment))];
    },
    /** Looks for processes that have gone. */
    adopt: () => leftovers.adopt(),
    /** `rows` are those of this process that the store does not have, `bytes` also those of processes that have gone. */
    state: () => ({
      hasRoom: segments.hasRoom,
      rows,
      bytes: segments.pendingBytes + leftovers.bytes(),
    }),
    /** Leaves what was not handed on where the next process finds it. */
    close(): void {
      leftovers.close();
      if (segments.close()) removeFolder(own, lock);
      else lock.release();
    },
  };
}

function readRows(segment: Segment): ReturnType<PendingRows['read']> {
  const bytes = segment.readPending(readBytesMax);
  const { texts, bad, end } = readFrames(bytes);
  // Frames were written whole: one that is cut by the bound is read next, any other is damaged.
  const isCut = bytes.length < segment.pending && end > 0;
  if (isCut || end === bytes.length) return { texts, bad, bytes: end };
  return { texts, bad: [...bad, bytes.subarray(end)], bytes: bytes.length };
}

/** The lock is taken before anything lies in the folder, so that nobody adopts what is not left. */
function openFolder(path: string): FolderLock {
  let lock: FolderLock | null;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    lock = lockFolder(join(path, 'lock'));
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    const reason = errorMessage(error);
    throw new Error(`ledger: ${path} cannot be written (${reason})`, { cause: error });
  }
  if (lock === null) throw new Error(`ledger: ${path} is in use by another process`);
  return lock;
}
