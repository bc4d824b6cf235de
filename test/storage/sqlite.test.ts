import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import { openDatabase } from '../../src/kernel/store/database.ts';
import { putStore } from '../support/made-store.ts';
import { isLongRun } from '../support/rounds.ts';
import { storageSuite } from './suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'nestor-storage-'));
let opened = 0;
after(() => rmSync(folder, { recursive: true, force: true }));

storageSuite('a SQLite file', async () => {
  const dataFolder = join(folder, String(opened++));
  mkdirSync(dataFolder);
  await putStore(dataFolder, 'bare');
  return openDatabase('sqlite', { dataFolder });
});
// The same engine: what differs is where it writes.
if (isLongRun)
  storageSuite('SQLite in memory', () => openDatabase('sqlite::memory:', { dataFolder: folder }));
