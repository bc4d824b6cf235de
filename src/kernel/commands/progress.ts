import type { Clock } from '../kit/clock.ts';

/** A terminal or a file. */
export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export type Progress = ReturnType<typeof createProgress>;

const redrawMs = 100;
const lineMs = 5_000;

/** Draws a bar on a terminal; elsewhere prints a line every few seconds. */
export function createProgress(terminal: Terminal, total: number, clock: Clock) {
  const startedMs = clock.monotonic();
  const isTerminal = terminal.isTTY === true;
  let shownMs = isTerminal ? -Infinity : startedMs;
  let drawn = false;
  return {
    update(done: number, failed: number): void {
      const nowMs = clock.monotonic();
      const due = nowMs - shownMs >= (isTerminal ? redrawMs : lineMs);
      if (!due && !(isTerminal && done === total)) return;
      shownMs = nowMs;
      const text = toProgressText(done, total, failed, nowMs - startedMs);
      // Some terminals report 0 columns.
      if (isTerminal) terminal.write(`\r\u001b[2K${withBar(text, done / total, terminal.columns || 80)}`);
      else terminal.write(`${text}\n`);
      drawn = isTerminal;
    },
    /** Clears the bar. */
    finish(): void {
      if (drawn) terminal.write('\r\u001b[2K');
    },
  };
}

function toProgressText(done: number, total: number, failed: number, elapsedMs: number): string {
  const perSecond = (done / Math.max(1, elapsedMs)) * 1_000;
  const left = done === 0 ? '' : `, ${toDuration((total - done) / perSecond)} left`;
  const lost = failed === 0 ? '' : `, ${failed} failed`;
  return `${done}/${total} (${Math.floor((100 * done) / total)} %), ${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s${left}${lost}`;
}

/** The bar fills the line beside the text and never wraps. */
function withBar(text: string, share: number, columns: number): string {
  const width = Math.min(40, columns - text.length - 4);
  if (width < 8) return text.slice(0, columns - 1);
  const full = Math.round(share * width);
  return `[${'='.repeat(full)}${' '.repeat(width - full)}] ${text}`;
}

function toDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
