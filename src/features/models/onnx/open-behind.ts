import { raceSignal } from '../../../kernel/kit/abort.ts';

/** Opens something behind who uses it, who may begin at once. `open` never rejects; closing aborts its signal. */
export function openBehind<Part extends { close(): Promise<void> }>(
  open: (signal: AbortSignal) => Promise<Part>,
) {
  const closing = new AbortController();
  let current: Part | null = null;
  const opening = open(closing.signal).then((part) => (current = part));
  return {
    /** Null until it is open. */
    current: () => current,
    /** Waits until it is open. Rejects with the signal's reason when it aborts. */
    opened: (signal: AbortSignal) => raceSignal(opening, signal),
    /** What it has to say of itself: nothing, where it was closed before it was open. */
    report: opening.then((part): Partial<Part> => (closing.signal.aborted ? {} : part)),
    close: async (): Promise<void> => {
      closing.abort();
      await (await opening).close();
    },
  };
}
