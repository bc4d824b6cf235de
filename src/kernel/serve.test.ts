import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { configuration } from '../configuration.ts';
import { openServices } from '../server.ts';

test('services without a port accept rate limits of operations that they do not serve, and no others', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'nestor.yaml');
  const open = async (bucket: string) => {
    await writeFile(file, `database: 'sqlite::memory:'\nrate_limits: { tables: { ${bucket}: 3 } }\n`);
    const config = configuration.load({ env: { NESTOR_DATA: folder }, cwd: folder, file });
    return openServices(['gate'], config, { log: pino({ level: 'silent' }) });
  };
  await assert.rejects(open('no-such-bucket'), /rate_limits\.tables\.no-such-bucket: no such bucket/);
  const services = await open('search');
  await services.close();
});
