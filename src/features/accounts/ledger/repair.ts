import type { Clock } from '../../../kernel/kit/clock.ts';
import { isContentRefusal } from '../../../kernel/store/errors.ts';
import type { UsageCheck } from '../store/usage-check.ts';
import type { UsageRow } from '../store/usage-row.ts';
import { readFrames } from './frames.ts';
import { openJournal } from './journal.ts';
import { readOldLines } from './old-journal.ts';
import { openSetAside, type RefusedRow, type SetAside, type SetAsideFile } from './set-aside.ts';
import { Storing } from './storing.ts';
import { parseRow } from './usage-row.ts';

export interface LedgerRepair {
  /** Rows of processes that have gone, now in the store. */
  readonly adopted: number;
  /** Files that had been set aside and are in the store now. */
  readonly recovered: number;
  /** Files that stay set aside. */
  readonly setAside: number;
  readonly days: UsageCheck;
}

interface RepairOptions {
  readonly folder: string;
  /** Of this run, and of no other. */
  readonly name: string;
  readonly clock: Clock;
  readonly keepMs: number;
  /** Returns how many rows were new. */
  readonly store: (rows: readonly UsageRow[]) => Promise<number>;
  readonly checkDays: () => Promise<UsageCheck>;
}

/** Puts right what can be: rows that nobody hands on, what was set aside, and sums that are not those of their rows. */
export async function repairLedger(options: RepairOptions): Promise<LedgerRepair> {
  const setAside = openSetAside(options.folder);
  const adopted = await adoptAll(options, setAside);
  let recovered = 0;
  for (const file of setAside.list()) if (await recover(file, setAside, options)) recovered++;
  return { adopted, recovered, setAside: setAside.list().length, days: await options.checkDays() };
}

async function adoptAll(options: RepairOptions, setAside: SetAside): Promise<number> {
  const { folder, name, clock, keepMs, store } = options;
  let adopted = 0;
  const journal = openJournal({ folder, name, clock, onStray: () => {} });
  const storing = new Storing({
    setAside,
    store: async (rows) => void (adopted += await store(rows)),
    clock,
    keepMs,
    onSetAside: () => {},
  });
  try {
    journal.adopt();
    for (const rows of journal.pending()) {
      const read = rows.read();
      await storing.keepRead(read);
      rows.advance(read);
    }
  } finally {
    journal.close();
  }
  return adopted;
}

/** Whether all of it is in the store now. A file that is sound only in part stays as it is. */
async function recover(
  file: SetAsideFile,
  setAside: SetAside,
  { clock, keepMs, store }: RepairOptions,
): Promise<boolean> {
  const rows = rowsIn(file, setAside.read(file));
  if (rows === null || rows.some(({ createdAtMs }) => createdAtMs < clock.now() - keepMs)) return false;
  try {
    await store(rows);
  } catch (error) {
    if (isContentRefusal(error)) return false;
    throw error;
  }
  setAside.remove(file);
  return true;
}

function rowsIn({ kind }: SetAsideFile, bytes: Buffer): readonly UsageRow[] | null {
  if (kind === 'refused') {
    const row = refusedRow(bytes.toString('utf8'));
    return row === null ? null : [row];
  }
  const frames = readFrames(bytes);
  const isWhole = frames.bad.length === 0 && frames.end === bytes.length;
  // A line that an earlier version wrote has no checksum: it is a row when it is whole.
  const { texts, bad } = isWhole ? frames : readOldLines(bytes);
  const rows = texts.flatMap((text) => parseRow(text) ?? []);
  return bad.length > 0 || rows.length === 0 || rows.length < texts.length ? null : rows;
}

function refusedRow(text: string): UsageRow | null {
  try {
    return parseRow(JSON.stringify((JSON.parse(text) as RefusedRow).row));
  } catch {
    return null;
  }
}
