import type { Terminal } from '../../../kernel/commands/progress.ts';
import { toSize } from '../../../kernel/commands/print.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';

const redrawMs = 200;
const lineMs = 5_000;

/** Progress in one line that is redrawn on a terminal, or in a line every few seconds elsewhere. */
export function createByteProgress(terminal: Terminal, clock: Clock) {
  const isTerminal = terminal.isTTY === true;
  const startedMs = clock.monotonic();
  let firstDone: number | null = null;
  let shownMs = isTerminal ? -Infinity : startedMs;
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) terminal.write('\r\u001b[2K');
    isDrawn = false;
  };
  return {
    update: (done: number, total: number | null): void => {
      firstDone ??= done;
      const nowMs = clock.monotonic();
      if (nowMs - shownMs < (isTerminal ? redrawMs : lineMs)) return;
      shownMs = nowMs;
      const perSecond = ((done - firstDone) / Math.max(1, nowMs - startedMs)) * 1_000;
      const share = total === null ? '' : ` of ${toSize(total)} (${Math.floor((100 * done) / total)} %)`;
      const left =
        total === null || perSecond === 0 ? '' : `, ${Math.ceil((total - done) / perSecond)} s left`;
      const text = `${toSize(done)}${share}, ${toSize(perSecond)}/s${left}`;
      terminal.write(isTerminal ? `\r\u001b[2K${text.slice(0, (terminal.columns || 80) - 1)}` : `${text}\n`);
      isDrawn = isTerminal;
    },
    note: (text: string): void => {
      clear();
      terminal.write(`${text}\n`);
    },
    finish: clear,
  };
}
