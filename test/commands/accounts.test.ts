import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { usageRow } from '../storage/suite-metering.ts';
import { jsonOf, openConsole, spawnNestor, type Console } from './support.ts';

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n');

interface Account {
  readonly id: string;
  readonly tier: number;
  readonly credits_purchased_usd: number;
  readonly created_at: number;
}

async function fillLedger({ folder }: Console): Promise<void> {
  const database = await openDatabase('sqlite', { dataFolder: `${folder}/data` });
  const noon = Date.UTC(2026, 10, 20, 12);
  await createUsage(database.db).insertBatch([
    usageRow('a', { accountId: 'acme', model: 'svc', createdAtMs: noon, costUsd: 0.25 }),
    usageRow('b', { accountId: 'acme', model: 'svc-pro', createdAtMs: noon + 86_400_000, costUsd: 0.5 }),
    usageRow('c', { accountId: 'zeta', model: null, createdAtMs: noon, costUsd: 1 }),
  ]);
  await database.close();
}

suite('nestor accounts and nestor keys', () => {
  test('an account is created, credited once per purchase, and shown with what it purchased', async (t) => {
    const { nestor } = openConsole(t);
    const created = await nestor(['accounts', 'create', 'acme', '--name', 'Acme Ltd', '--json']);
    const account = jsonOf<Account>(created);
    assert.deepEqual([account.id, account.tier], ['acme', 0]);
    assert.match(
      created.err,
      /^nestor: no store in .*data yet, so a new one is made; NESTOR_DATA names another/,
    );
    assert.ok(Math.abs(account.created_at - Date.now() / 1_000) < 60, 'seconds since the epoch');
    const credited = await nestor(['accounts', 'credit', 'acme', '250', '--id', 'p1', '--note', 'November']);
    assert.deepEqual(linesOf(credited.out), [
      'Booked p1: 250 USD',
      'acme has 250 USD of credits and tier 2 from now on',
    ]);
    assert.equal(credited.err, '');
    const again = await nestor(['accounts', 'credit', 'acme', '250', '--id', 'p1']);
    assert.equal(linesOf(again.out)[0], 'p1 was booked before and counts once');
    const shown = await nestor(['accounts', 'show', 'acme']);
    assert.match(
      shown.out,
      /^ID +NAME +TIER +CREDITS USD +STORED MB +CREATED\nacme +Acme Ltd +2 +250 +0 +2\d{3}-/,
    );
    assert.match(shown.out, /\np1 +250 +\S+ \S+Z +November\n$/);
    await nestor(['accounts', 'rename', 'acme', 'Acme']);
    const listed = jsonOf<readonly Account[]>(await nestor(['accounts', '--json']));
    assert.deepEqual(listed, [{ ...account, name: 'Acme', tier: 2, credits_purchased_usd: 250 }]);
  });

  test('the new key alone is on stdout, and nothing ever shows it again', async (t) => {
    const { nestor } = openConsole(t);
    await nestor(['accounts', 'create', 'acme']);
    const { out, err } = await nestor(['keys', 'create', 'acme', '--name', 'ci']);
    assert.match(out, /^svc-[\w-]{43}\n$/);
    assert.match(err, /^Key [0-9a-f]{12} of acme, shown only now/);
    const secret = out.trim();
    const listed = await nestor(['keys', 'list', 'acme']);
    assert.match(linesOf(listed.out)[1] ?? '', new RegExp(`^[0-9a-f]{12} +${secret.slice(-4)} +token +ci `));
    const json = await nestor(['keys', 'list', 'acme', '--json']);
    for (const text of [listed.out, listed.err, json.out, json.err]) assert.ok(!text.includes(secret));
    const revoked = await nestor(['keys', 'revoke', 'acme', secret.slice(-4)]);
    assert.match(revoked.out, /^Revoked [0-9a-f]{12}, which ends with .{4}: no server takes it any more\n$/);
    const [key] = jsonOf<{ revoked_at: number }[]>(await nestor(['keys', 'list', 'acme', '--json']));
    assert.ok((key?.revoked_at ?? 0) > 1.7e9);
  });

  test('an account is deleted when somebody says so', async (t) => {
    const { nestor } = openConsole(t);
    await nestor(['accounts', 'create', 'acme']);
    await nestor(['keys', 'create', 'acme']);
    const asked = await nestor(['accounts', 'rm', 'acme']);
    assert.deepEqual([asked.code, asked.out], [2, '']);
    assert.match(asked.err, /acme was not deleted; --yes deletes it unasked/);
    const gone = await nestor(['accounts', 'rm', 'acme', '--yes']);
    assert.equal(gone.out, 'Deleted account acme with its keys and everything that it stored\n');
    assert.deepEqual(jsonOf(await nestor(['accounts', '--json'])), []);
    await nestor(['accounts', 'create', 'acme']);
    const all = await nestor(['accounts', 'rm', 'acme', '--yes', '--ledger', '--json']);
    assert.deepEqual(jsonOf(all), { id: 'acme', deleted: true });
  });

  test('what a caller put into a name does not command the terminal', async (t) => {
    const { nestor } = openConsole(t);
    await nestor(['accounts', 'create', 'acme', '--name', 'a\u001b[2Jb\u202ec\nd']);
    const { out } = await nestor(['accounts']);
    assert.equal(linesOf(out).length, 2);
    assert.ok(out.includes('a?[2Jb?c?d'));
  });

  test('keys are listed without an account where there is only one', async (t) => {
    const { nestor } = openConsole(t);
    await nestor(['migrate']);
    assert.match((await nestor(['keys', 'list'])).err, /There is no account yet: nestor accounts create/);
    await nestor(['accounts', 'create', 'acme']);
    await nestor(['keys', 'create', 'acme', '--name', 'billing']);
    const [named, alone] = [await nestor(['keys', 'list', 'acme']), await nestor(['keys', 'list'])];
    assert.deepEqual([alone.code, alone.out], [0, named.out]);
    assert.match(alone.out, /billing/);
  });

  test('looking makes no store', async (t) => {
    const { nestor, folder } = openConsole(t);
    const looks = ['accounts', 'keys list', 'usage', 'jobs', 'index', 'ledger', 'export out.jsonl', 'doctor'];
    const absent = (env: Readonly<Record<string, string>>, told: RegExp) =>
      Promise.all(
        looks.map(async (words) => {
          const { code, err } = await nestor(words.split(' '), { env });
          if (words === 'doctor' || words === 'ledger') return;
          assert.equal(code, 1, words);
          assert.match(err, told, words);
        }),
      );
    await absent({}, /^nestor: there is no store in [^\n]+ yet; `nestor serve` makes one, and NESTOR_DATA/);
    const NESTOR_DATABASE_URL = `sqlite:${join(folder, 'elsewhere.db')}`;
    await absent({ NESTOR_DATABASE_URL }, /^nestor: there is no store at [^\n]+elsewhere\.db yet;/);
    assert.deepEqual(await readdir(folder), []);
    assert.match(
      (await nestor(['accounts', 'create', 'acme'])).err,
      /so a new one is made; NESTOR_DATA names/,
    );
  });

  test('what is wrong is one line and an exit code that says whose turn it is', async (t) => {
    const { nestor } = openConsole(t);
    await nestor(['accounts', 'create', 'acme']);
    await nestor(['accounts', 'create', 'other']);
    const cases: readonly (readonly [argv: readonly string[], code: number, message: RegExp])[] = [
      [['accounts', 'create', 'acme'], 1, /an account of this id exists/],
      [['accounts', 'show', 'nobody'], 1, /account not found/],
      [['accounts', 'rename', 'nobody', 'x'], 1, /account not found/],
      [['accounts', 'credit', 'nobody', '5'], 1, /account not found/],
      [['accounts', 'credit', 'acme', '-5'], 2, /-5|USD/],
      [['accounts', 'credit', 'acme', '0'], 2, /USD is an amount/],
      [['accounts', 'credit', 'acme', '1e3'], 2, /USD is an amount/],
      [['accounts', 'credit', 'acme'], 2, /USD is missing/],
      [['accounts', 'create', 'a b'], 2, /ID is 1 to 128/],
      [['accounts', 'create', 'a', 'b'], 2, /Unexpected argument "b"/],
      [['accounts', 'explode'], 2, /Unknown verb "explode"\. There are list, create/],
      [['accounts', 'list', '--note', 'x'], 2, /belong to credit/],
      [['accounts', 'list', '--yes'], 2, /belong to rm/],
      [['accounts', 'rm', '--yes'], 2, /ID is missing/],
      [['accounts', 'rm', 'nobody', '--yes'], 1, /account not found/],
      [['accounts', '--colour'], 2, /Unknown option '--colour'/],
      [['keys'], 2, /A verb is missing: list, create, revoke/],
      [['keys', 'list'], 2, /There are several accounts/],
      [['keys', 'list', 'nobody'], 1, /account not found/],
      [['keys', 'create', 'nobody'], 1, /account not found/],
      [['keys', 'revoke', 'acme', 'zzzz'], 1, /key not found/],
      [['keys', 'revoke', 'acme', '-J-Y'], 1, /key not found/],
      [['keys', 'revoke', 'acme', '--J_', '--json'], 1, /key not found/],
      [['usage', '--by', 'colour'], 2, /--by takes some of account/],
      [['usage', '--from', 'yesterday'], 2, /--from takes 2026-11-01/],
      [['usage', '--from', '2026-13-01'], 2, /--from takes 2026-11-01/],
      [['usage', 'today'], 2, /Unexpected argument/],
      [['migrate', 'now'], 2, /Unexpected argument/],
      [['export'], 2, /FILE is missing/],
      [['import', 'nothing.jsonl'], 1, /nothing.jsonl cannot be read \(ENOENT\)/],
      [['export', 'no/such/folder'], 1, /no\/such\/folder cannot be written \(ENOENT\)/],
    ];
    for (const [argv, code, message] of cases) {
      const ended = await nestor(argv);
      assert.match(ended.err, message, argv.join(' '));
      assert.equal(ended.code, code, `${argv.join(' ')}: ${ended.err}`);
      assert.match(ended.err, /^nestor: [^\n]+\n$/);
      assert.equal(ended.err.includes('--help'), code === 2);
      assert.equal(ended.out, '');
    }
  });

  test('every command has a help of its own with an example, and the list of all names them', async (t) => {
    const { nestor } = openConsole(t);
    const { out: all } = await spawnNestor(['--help'], {});
    for (const name of ['accounts', 'keys', 'usage', 'migrate', 'export', 'import', 'eval', 'calibrate']) {
      assert.match(all, new RegExp(`^  nestor ${name} `, 'm'));
      const { out, code } = await nestor([name, '--help']);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`^nestor ${name}`));
      if (!['eval', 'calibrate'].includes(name)) assert.match(out, new RegExp(`^  .*nestor ${name}`, 'm'));
      for (const line of out.split('\n')) assert.ok(line.length <= 120, line);
    }
  });
});

suite('nestor usage', () => {
  test('sums by what is asked for, within the time that is asked for', async (t) => {
    const opened = openConsole(t);
    const { nestor } = opened;
    await fillLedger(opened);
    const byAccount = await nestor(['usage']);
    assert.match(byAccount.out, /^ACCOUNT +REQUESTS +INPUT TOKENS +OUTPUT TOKENS +COST USD\n/);
    assert.match(byAccount.out, /\nacme +2 .* 0\.750000\nzeta +1 .* 1\.000000\n$/);
    interface Total {
      readonly account_id?: string;
      readonly day?: string;
      readonly requests: number;
    }
    const sums = async (...argv: readonly string[]) =>
      jsonOf<Total[]>(await nestor(['usage', '--json', ...argv]));
    const days = await sums('--by', 'day,account', '--account', 'acme');
    assert.deepEqual(
      days.map(({ day, account_id: account, requests }) => [day, account, requests]),
      [
        ['2026-11-20', 'acme', 1],
        ['2026-11-21', 'acme', 1],
      ],
    );
    assert.equal((await sums('--to', '2026-11-21')).length, 2);
    assert.deepEqual(await sums('--from', '2026-11-21T13:00:00Z'), []);
    assert.equal((await sums('--from', String(Date.UTC(2026, 10, 21) / 1_000)))[0]?.account_id, 'acme');
    assert.deepEqual(await sums('--model', 'svc', '--by', 'model').then((all) => all.length), 1);
  });
});
