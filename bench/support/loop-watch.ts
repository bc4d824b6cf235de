import { monitorEventLoopDelay } from 'node:perf_hooks';

/** For how long an event loop did not come to its timers. Unit: ms. */
export interface LoopBlocks {
  readonly maxMs: number;
  readonly p999Ms: number;
  /**
   * The most time that its thread computed between two turns of a timer: what is left of the above when the processor
   * was not given to others, which a machine with other work makes many times as long. Linux counts it in ticks of 4 ms.
   */
  readonly ownMaxMs: number;
}

/** Watches the event loop of this thread until it is closed. */
export function watchLoop(): { close(): LoopBlocks } {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let ownMaxUs = 0;
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    ownMaxUs = Math.max(ownMaxUs, now.user - last.user + now.system - last.system);
    last = now;
  }, 1);
  return {
    close() {
      clearInterval(timer);
      delay.disable();
      return { maxMs: delay.max / 1e6, p999Ms: delay.percentile(99.9) / 1e6, ownMaxMs: ownMaxUs / 1e3 };
    },
  };
}
