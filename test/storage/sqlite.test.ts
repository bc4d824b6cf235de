import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import { openDatabase } from '../../src/kernel/store/database.ts';
import { storageSuite } from './suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'nestor-storage-'));
let opened = 0;
after(() => rmSync(folder, { recursive: true, force: true }));

storageSuite('a SQLite file', () => openDatabase(`sqlite:${folder}/${opened++}.db`, { dataFolder: folder }));
storageSuite('SQLite in memory', () => openDatabase('sqlite::memory:', { dataFolder: folder }));
