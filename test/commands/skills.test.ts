import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { startServer } from '../support/server.ts';
import { skillText, skillZip } from '../support/zip.ts';
import { jsonOf, openConsole } from './support.ts';

interface Skill {
  readonly skill_id: string;
  readonly name: string;
  readonly revision: string;
  readonly latest_revision: string;
}

async function open(t: TestContext) {
  const opened = openConsole(t);
  const api = await startServer(t);
  mkdirSync(join(opened.folder, 'report', 'data'), { recursive: true });
  writeFileSync(join(opened.folder, 'report', 'SKILL.md'), skillText);
  writeFileSync(join(opened.folder, 'report', 'data', 'wörter.txt'), 'x'.repeat(5_000));
  const skills = (...argv: readonly string[]) => opened.nestor(['skills', ...argv], { api });
  return { ...opened, api, skills };
}

suite('nestor skills', () => {
  test('a folder is packed, kept, listed, changed, fetched and deleted', async (t) => {
    const { skills, folder } = await open(t);
    const added = jsonOf<Skill>(await skills('add', 'report', '--json'));
    assert.equal(added.name, 'weekly-report');
    const updated = await skills('update', added.skill_id, 'report');
    assert.match(updated.out, /^Updated weekly-report: skill_\w+, revision rev_\w+\n$/);
    const listed = await skills('ls');
    assert.match(
      listed.out,
      new RegExp(`^ID +NAME +REVISION +UPDATED\n${added.skill_id} +weekly-report +rev_`),
    );
    const shown = jsonOf<Skill>(await skills('get', added.skill_id, '--json'));
    assert.notEqual(shown.latest_revision, added.revision);
    const first = await skills('get', added.skill_id, '--revision', added.revision, '--out', 'first.zip');
    assert.deepEqual([first.code, first.err], [0, 'Written to first.zip\n']);
    const zip = readFileSync(join(folder, 'first.zip'));
    assert.equal(zip.subarray(0, 2).toString('latin1'), 'PK');
    assert.ok(zip.includes('data/wörter.txt'));
    const removed = await skills('rm', added.skill_id);
    assert.deepEqual([removed.code, removed.out], [0, `Deleted ${added.skill_id}\n`]);
    assert.deepEqual(jsonOf(await skills('ls', '--json')), { skills: [] });
  });

  test('a zip is sent as it is and comes back byte by byte', async (t) => {
    const { skills, folder } = await open(t);
    writeFileSync(join(folder, 'bundle.zip'), skillZip());
    const { skill_id: id } = jsonOf<Skill>(await skills('add', 'bundle.zip', '--json'));
    await skills('get', id, '--out', 'back.zip');
    assert.deepEqual(readFileSync(join(folder, 'back.zip')), readFileSync(join(folder, 'bundle.zip')));
  });

  test('a change against an older revision than was seen changes nothing', async (t) => {
    const { skills } = await open(t);
    const { skill_id: id, revision } = jsonOf<Skill>(await skills('add', 'report', '--json'));
    await skills('update', id, 'report');
    const stale = await skills('rm', id, '--expected', revision);
    assert.equal(stale.code, 1);
    assert.match(stale.err, /^nestor: expected_revision does not match the latest revision \(409, request /);
    assert.equal((await skills('get', id)).code, 0);
  });

  test('what cannot be a bundle is refused, here or by the server, and no file is overwritten', async (t) => {
    const { skills, folder } = await open(t);
    mkdirSync(join(folder, 'empty'));
    mkdirSync(join(folder, 'linked'));
    symlinkSync('/etc/passwd', join(folder, 'linked', 'x'));
    mkdirSync(join(folder, 'bare'));
    writeFileSync(join(folder, 'bare', 'x.txt'), 'x');
    const cases: readonly (readonly [argv: readonly string[], code: number, message: RegExp])[] = [
      [['add', 'empty'], 2, /The folder is empty/],
      [['add', 'linked'], 2, /x is neither a file nor a folder/],
      [['add', 'nothing'], 2, /nothing cannot be read \(ENOENT\)/],
      [['add', 'bare'], 1, /SKILL\.md.*\(400, request/],
      [['add'], 2, /PATH is missing/],
      [['rm', 'skill_0123456789abcdefghijklmn'], 1, /\(404, request/],
      [['get', 'x', '--out', 'bare/x.txt'], 2, /bare\/x\.txt exists/],
      [['ls', '--out', 'x'], 2, /belong to get/],
      [['explode'], 2, /Unknown verb "explode"/],
      [['constructor'], 2, /Unknown verb "constructor"/],
    ];
    for (const [argv, code, message] of cases) {
      const ended = await skills(...argv);
      assert.match(ended.err, message, argv.join(' '));
      assert.equal(ended.code, code, `${argv.join(' ')}: ${ended.err}`);
    }
  });
});
