/** What the files of one process share and none of them closes. */
const closers: (() => Promise<void>)[] = [];
let hasMore = false;

/** Said by a process that runs several files, before the first. */
export function shareProcess(): void {
  hasMore = true;
}

/** Leaves something open for the next file of the process. False where the process runs one file, which then closes it. */
export function closeAtEnd(close: () => Promise<void>): boolean {
  if (hasMore) closers.push(close);
  return hasMore;
}

/** After the last file. */
export async function closeShared(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}
