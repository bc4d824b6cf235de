import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { longTest } from '../support/rounds.ts';
import { temporaryFolder } from '../storage/temporary.ts';

const rounds = 3;
const fixture = fileURLToPath(new URL('./full-disk.fixture.ts', import.meta.url));

/** A small file system in a mount namespace that is gone with its process. Null where the system allows none. */
function namespaceArguments(folder: string): readonly string[] | null {
  const mount = `mount -t tmpfs -o size=24m none "$0" && exec "$@"`;
  for (const flags of [['--mount'], ['--user', '--map-root-user', '--mount']]) {
    const all = [...flags, 'sh', '-c', mount, folder];
    if (spawnSync('unshare', [...all, 'true']).status === 0) return all;
  }
  return null;
}

longTest(
  `a disk of 24 MB that fills up ${rounds} times under load: each answered decision is in the ledger once, or was refused, and /readyz says so`,
  (t) => {
    const folder = temporaryFolder(t);
    const namespace = namespaceArguments(folder);
    if (namespace === null) {
      t.skip('the system lets this user mount no tmpfs');
      return;
    }
    const run = spawnSync('unshare', [...namespace, process.execPath, fixture, folder], {
      encoding: 'utf8',
      env: { ...process.env, FULL_DISK_ROUNDS: String(rounds) },
      timeout: 600_000,
    });
    assert.equal(run.status, 0, run.stderr);
    const { answered, rows, refused, messages, ...rest } = JSON.parse(run.stdout) as {
      readonly answered: number;
      readonly rows: number;
      readonly refused: number;
      readonly messages: readonly string[];
    };
    t.diagnostic(`${answered} answered, ${refused} refused, ${rows} rows`);
    assert.deepEqual(rest, {
      twice: 0,
      missing: 0,
      unexplained: 0,
      lost: 0,
      otherStatuses: [],
      exitCodes: [0, 0],
    });
    assert.ok(refused > 0 && answered > 50 * rounds);
    assert.deepEqual(messages, [
      'This server has no room left to record usage, so it takes no billed requests now. Please try again later.',
    ]);
  },
);
