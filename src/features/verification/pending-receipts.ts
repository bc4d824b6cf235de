import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface NewReceipt {
  readonly id: string;
  readonly accountId: string;
  /** JSON. */
  readonly receipt: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** How many are stored at once. */
const batchMax = 64;

/**
 * Receipts that the store does not have yet, each in a file. The file is written and not synced: it outlives the
 * process, and not a machine that loses its power in the moments until the store has it.
 */
export async function openPending(folder: string, onError: (error: unknown) => void) {
  const waiting = new Map<string, NewReceipt>();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fileOf = (id: string) => join(folder, `${id}.json`);
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    try {
      const row = JSON.parse(await readFile(join(folder, name), 'utf8')) as NewReceipt;
      waiting.set(row.id, row);
    } catch (error) {
      onError(error);
    }
  }
  return {
    get size(): number {
      return waiting.size;
    },
    find: (id: string): NewReceipt | undefined => waiting.get(id),

    async add(row: NewReceipt): Promise<void> {
      const file = fileOf(row.id);
      // Whole or not there.
      await writeFile(`${file}.part`, JSON.stringify(row), { mode: 0o600 });
      await rename(`${file}.part`, file);
      waiting.set(row.id, row);
    },

    /** The oldest. */
    next: (): readonly NewReceipt[] => [...waiting.values().take(batchMax)],

    async done(rows: readonly NewReceipt[]): Promise<void> {
      for (const { id } of rows) {
        await rm(fileOf(id), { force: true });
        waiting.delete(id);
      }
    },
  };
}
