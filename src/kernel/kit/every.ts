/**
 * Runs a task again and again, `pauseMs` after the previous turn ended. Keeps no process alive. Of several failures in a
 * row only the first goes to `onError`.
 */
export function every(
  pauseMs: number,
  task: () => Promise<void>,
  onError: (error: unknown) => void = () => {},
) {
  let running: Promise<void> = Promise.resolve();
  let hasFailed = false;
  let timer: NodeJS.Timeout | undefined = setTimeout(run, pauseMs).unref();

  function run(): void {
    running = turn();
  }

  async function turn(): Promise<void> {
    try {
      await task();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
    if (timer !== undefined) timer = setTimeout(run, pauseMs).unref();
  }

  return {
    /** Stops the timer and waits for a turn under way. */
    async close(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
