/**
 * One operation that does nothing, on our transport: with `BENCH_ACCOUNTS=limits` behind a key and two limits in
 * memory, with `ledger` metered as well, else open to everybody. The difference is what accounts cost.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { createAuthenticator } from '../../src/features/accounts/authenticator.ts';
import { openJournal } from '../../src/features/accounts/ledger/journal.ts';
import { createLimiter } from '../../src/features/accounts/limiter.ts';
import { createMemoryBuckets } from '../../src/features/accounts/memory-buckets.ts';
import { openMeter } from '../../src/features/accounts/ledger/meter.ts';
import { openSetAside } from '../../src/features/accounts/ledger/set-aside.ts';
import { Bodies } from '../../src/kernel/http/bodies.ts';
import { defineOperation, ok, perMinute, perSecond } from '../../src/kernel/http/operation.ts';
import { createTransport } from '../../src/kernel/http/transport.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { hashSecret, randomIds } from '../../src/kernel/kit/ids.ts';
import { reserveRequestRow } from '../../src/features/accounts/ledger/reports.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { serveBench } from './child.ts';

const mode = process.env['BENCH_ACCOUNTS'];
const isOn = mode === 'limits' || mode === 'ledger';
const folder = mkdtempSync(join(tmpdir(), 'nestor-bench-'));
const database = await openDatabase('sqlite', { dataFolder: folder });
const usage = createUsage(database.db);
const journalFolder = join(folder, 'usage-journal');
const meter = openMeter({
  journal: openJournal({
    folder: journalFolder,
    name: randomIds.uuid(),
    clock: systemClock,
    onStray: () => {},
  }),
  setAside: openSetAside(journalFolder),
  store: async (rows) => {
    await usage.insertBatch(rows);
  },
  clock: systemClock,
  keepMs: 34_560_000_000,
  onError: (error) => {
    throw error;
  },
  onAccepting: () => {},
  onSetAside: () => {},
});
const key = process.env['BENCH_KEY'] ?? '';
const { authenticate } = createAuthenticator({
  rootKeys: [
    { hash: hashSecret(key), accountId: 'bench', creditsPurchasedUsd: 5_000, denied: [], isStored: false },
  ],
  findKey: () => Promise.resolve(undefined),
  clock: systemClock,
});
const limiter = createLimiter({ store: createMemoryBuckets(systemClock), enabled: true, tables: {} });
const billing = {
  model: 'svc-decider-v1-27b',
  inputTokens: 100,
  outputTokens: 3,
  costParts: { input: 4e-6 },
};

const operation = defineOperation<object>({
  id: 'bench',
  summary: 'Does nothing',
  group: 'bench',
  method: 'POST',
  paths: ['/bench'],
  surface: 'plain',
  credentials: isOn ? 'bearer' : 'none',
  isBilled: true,
  buckets: isOn ? [perSecond('second', 1e9), perMinute('minute', 1e9)] : [],
  body: { schema: Type.Object({}), bytesMax: 1_000 },
  responses: { 200: Type.Object({}) },
  handle: () => ok({}, {}, billing),
});
const app = createTransport(
  [operation],
  {
    services: {},
    authenticate,
    admit: (buckets, { principal, address }, cost) =>
      limiter.take(buckets, principal?.accountId ?? address, principal?.tier ?? 0, cost),
    bodies: new Bodies({ heapBytes: 512 * 1_048_576 }),
    reserveBilling() {
      if (mode !== 'ledger') return { keep: () => undefined, release: () => {} };
      return reserveRequestRow({ meter, clock: systemClock });
    },
    record: () => {},
    clock: systemClock,
    ids: randomIds,
    stopping: new AbortController().signal,
  },
  { corsOrigins: [] },
);
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
serveBench(`http://127.0.0.1:${port}`, async () => {
  await app.close();
  await meter.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});
