import type { Clock } from '../kit/clock.ts';
import type { Terminal } from './progress.ts';

/**
 * Tells what is waited for where nobody can say how much of it is left: on a terminal with the seconds so far, in one
 * line that is drawn anew; elsewhere a line whenever the words change.
 */
export function createWaiting(terminal: Terminal, clock: Clock) {
  const startedMs = clock.monotonic();
  const isTerminal = terminal.isTTY === true;
  let shown = '';
  return {
    update(words: string): void {
      const seconds = Math.round((clock.monotonic() - startedMs) / 1_000);
      if (isTerminal) terminal.write(`\r\u001b[2K${words}, ${seconds} s`);
      else if (words !== shown) terminal.write(`${words}\n`);
      shown = words;
    },
    /** Clears the line. */
    finish(): void {
      if (isTerminal && shown !== '') terminal.write('\r\u001b[2K');
    },
  };
}
