import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { sql } from 'kysely';

import { openDatabase } from '../../src/kernel/store/database.ts';
import { postgresSkipReason, startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from './temporary.ts';

function skipReason(): string | false {
  if (spawnSync('openssl', ['version']).status === 0 || process.env['NESTOR_TEST_ALL'] === '1') {
    return postgresSkipReason();
  }
  return 'no openssl to make a certificate with';
}

test(
  'TLS is chosen by the url, and a certificate that nobody vouches for is refused',
  { skip: skipReason() },
  async (context) => {
    const trusted = join(temporaryFolder(context), 'trusted.pem');
    const server = await startPostgres({
      settings: ['ssl=on'],
      prepare(data, own) {
        const files = [join(data, 'server.crt'), join(data, 'server.key')] as const;
        const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
        execFileSync(
          'openssl',
          [
            'req',
            '-x509',
            '-newkey',
            'rsa:2048',
            '-nodes',
            '-days',
            '2',
            ...subject,
            '-out',
            files[0],
            '-keyout',
            files[1],
          ],
          { stdio: 'pipe' },
        );
        execFileSync('cp', [files[0], trusted]);
        chmodSync(files[1], 0o600);
        files.forEach(own);
      },
    });
    context.after(() => server.close());
    const url = await server.createDatabase();
    const isEncrypted = async (parameters: string): Promise<number | undefined> => {
      const database = await openDatabase(`${url}${parameters}`, { dataFolder: '/nowhere' });
      const { rows } = await sql<{ ssl: number }>`select ssl from pg_stat_ssl
      where pid = pg_backend_pid()`.execute(database.db);
      await database.close();
      return rows[0]?.ssl;
    };
    assert.equal(await isEncrypted(''), 0);
    assert.equal(await isEncrypted('?sslmode=no-verify'), 1);
    assert.equal(await isEncrypted(`?sslmode=verify-full&sslrootcert=${trusted}`), 1);
    assert.equal(await isEncrypted(`?sslmode=require&sslrootcert=${trusted}`), 1);
    for (const mode of ['require', 'verify-full']) {
      await assert.rejects(
        isEncrypted(`?sslmode=${mode}`),
        /^Error: database: .* cannot be read \(self-signed certificate[^\n]*\)$/,
      );
    }
  },
);
