import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../kernel/kit/clock.ts';
import { randomIds } from '../../../kernel/kit/ids.ts';
import { StatementError } from '../../../kernel/store/errors.ts';
import type { UsageRow } from '../store/usage-row.ts';
import { openJournal, type Journal, type JournalOptions } from './journal.ts';
import { openMeter, type Meter, type MeterOptions } from './meter.ts';
import { openSetAside } from './set-aside.ts';

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-ledger-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const row = (id: string, over: Partial<UsageRow> = {}): UsageRow => ({
  id,
  accountId: 'acme',
  keyId: 'k',
  operation: 'createDecision',
  model: 'svc-decider-v1-27b',
  inputTokens: 10,
  outputTokens: 1,
  otherUnits: null,
  costUsd: 4e-7,
  costParts: { input: 4e-7 },
  requestId: id,
  status: 200,
  durationMs: 1.5,
  createdAtMs: Date.now(),
  ...over,
});

/** A store that keeps each id once, refuses rows whose id begins with `poison`, and can be told to be away. */
export function createStore() {
  const rows = new Map<string, number>();
  const store = {
    rows,
    down: false,
    calls: 0,
    keep: async (batch: readonly UsageRow[]) => {
      store.calls++;
      if (store.down) throw new Error('down');
      if (batch.some(({ id }) => id.startsWith('poison')))
        throw new StatementError('a value does not fit its column', 'value', 'insert');
      for (const { id } of batch) rows.set(id, (rows.get(id) ?? 0) + 1);
    },
  };
  return store;
}

export function openTestJournal(folder: string, more: Partial<JournalOptions> = {}): Journal {
  return openJournal({ folder, name: randomIds.uuid(), clock: systemClock, onStray: () => {}, ...more });
}

/** A meter that hands on only when it is told to. */
export function openTestMeter(
  folder: string,
  store: { readonly keep: MeterOptions['store'] },
  { journal, ...more }: Partial<MeterOptions> = {},
): Meter & { add(row: UsageRow): void } {
  const meter = openMeter({
    journal: journal ?? openTestJournal(folder),
    setAside: openSetAside(folder),
    store: store.keep,
    clock: systemClock,
    keepMs: 400 * 86_400_000,
    flushEveryMs: 3_600_000,
    onError: () => {},
    onAccepting: () => {},
    onSetAside: () => {},
    ...more,
  });
  return Object.assign(meter, { add: (added: UsageRow) => meter.reserve().keep(added) });
}
