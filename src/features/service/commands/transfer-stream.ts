import { Transform } from 'node:stream';
import { createProgress, type Terminal } from '../../../kernel/commands/progress.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { RowCounts } from '../../accounts/feature.ts';

const newline = 10;
const headerBytesMax = 65_536;

/** Passes an export through and shows on a terminal how much of it has passed. */
export function createTransferStream(terminal: Terminal, clock: Clock): Transform {
  // In a log the lines of a progress bar say nothing.
  const count = terminal.isTTY === true ? createCounter(terminal, clock) : null;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count?.add(chunk);
      done(null, chunk);
    },
    destroy(error, done) {
      count?.finish();
      done(error);
    },
  });
}

function createCounter(terminal: Terminal, clock: Clock) {
  let head: string | null = '';
  let lines = 0;
  let progress: ReturnType<typeof createProgress> | null = null;
  return {
    add(chunk: Buffer): void {
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++;
      if (head !== null) {
        head += chunk.toString('latin1', 0, headerBytesMax);
        if (lines === 0 && head.length < headerBytesMax) return;
        progress = createProgress(terminal, Math.max(1, rowsOf(head)), clock);
        head = null;
      }
      progress?.update(Math.max(0, lines - 1), 0);
    },
    finish: () => progress?.finish(),
  };
}

/** Rows that the header announces; 0 for a malformed one, which the reader of the export reports. */
function rowsOf(head: string): number {
  try {
    const { rows } = JSON.parse(head.slice(0, head.indexOf('\n'))) as { readonly rows?: RowCounts };
    return Object.values(rows ?? {}).reduce((sum, count) => sum + count, 0);
  } catch {
    return 0;
  }
}

/** Whether the operating system refused something: a file that is not there, a disk that is full. */
export function isOfSystem(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

/** `4 accounts, 12 keys`. */
export function describeCounts(counts: RowCounts): string {
  return Object.entries(counts)
    .map(([table, rows]) => `${rows} ${table.replaceAll('_', ' ')}`)
    .join(', ');
}
