import assert from 'node:assert/strict';
import { test } from 'node:test';

import { skillText, skillZip, zipOf, type ZipEntry } from '../../../test/support/zip.ts';
import { Fault } from '../../kernel/faults.ts';
import { parseBundle } from './bundle.ts';

const skill: ZipEntry = { path: 'SKILL.md', content: skillText };

async function refuse(zip: Buffer, message: RegExp): Promise<void> {
  await assert.rejects(parseBundle(zip), (error) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.code, 'invalid_value');
    assert.match(error.message, message);
    return true;
  });
}

test('a bundle at the root and one in a folder are the same skill', async () => {
  const files: ZipEntry[] = [
    { path: 'docs/', mode: 0o040_755 },
    { path: 'docs/a.md', content: 'A', mode: 0o100_644 },
    { path: '__MACOSX/._SKILL.md', content: 'x' },
    { path: '.DS_Store', content: 'x' },
    { path: 'big.txt', content: 'line\n'.repeat(20), stored: true },
  ];
  const root = await parseBundle(zipOf([skill, ...files]));
  assert.deepEqual([root.name, root.description], ['weekly-report', 'Writes the weekly report.']);
  assert.equal(root.instructions, '# How\n\nWrite it.\n');
  assert.deepEqual([...root.files.keys()], ['SKILL.md', 'docs/a.md', 'big.txt']);
  assert.equal(Buffer.from(root.files.get('docs/a.md') ?? '').toString(), 'A');
  const inside = zipOf([
    { path: 'any name/SKILL.md', content: skillText },
    { path: 'any name/docs/a.md', content: 'A' },
  ]);
  assert.deepEqual([...(await parseBundle(inside)).files.keys()], ['SKILL.md', 'docs/a.md']);
});

test('entries that leave the folder, hide or lie are refused by name', async () => {
  const cases: readonly (readonly [ZipEntry, RegExp])[] = [
    [{ path: '../up.txt' }, /"\.\.\/up\.txt" is refused: .*segment/],
    [{ path: 'a/../../up.txt' }, /segment/],
    [{ path: 'a//b.txt' }, /segment/],
    [{ path: './a.txt' }, /segment/],
    [{ path: '/etc/passwd' }, /absolute/],
    [{ path: 'C:/x.txt' }, /absolute/],
    [{ path: 'c:x.txt' }, /absolute/],
    [{ path: 'a\\b.txt' }, /backslash/],
    [{ path: 'a\0b.txt' }, /control/],
    [{ path: 'a\nb.txt' }, /control/],
    [{ path: `${'d/'.repeat(10)}x.txt` }, /deeper than 10/],
    [{ path: `${'x'.repeat(252)}.txt` }, /longer than 255/],
    [{ path: 'link', content: '/etc/passwd', mode: 0o120_777 }, /"link" is refused: it is neither/],
    [{ path: 'pipe', mode: 0o010_644 }, /neither/],
    [{ path: 'disk', mode: 0o060_644 }, /neither/],
    [{ path: 'secret', content: 'x', flags: 1 }, /encrypted/],
    [{ path: 'skill.MD', content: 'x' }, /there twice/],
    [{ path: 'SKILL.md/x', content: 'x' }, /its folder is a file/],
    [{ path: 'x', content: 'abc', declaredSize: 2 }, /cannot be unpacked/],
    [{ path: 'x', content: 'abc', declaredSize: 4 }, /size is not/],
    [{ path: 'x', content: 'abc', crc: 1 }, /checksum/],
    [{ path: 'x', content: 'abc', method: 12 }, /method/],
    [{ path: 'bomb', content: '0'.repeat(1_000_000) }, /more than 200 times/],
    [{ path: 'large', content: Buffer.alloc(8_388_609), stored: true }, /larger than 8388608/],
    [{ path: 'sub/SKILL.md', content: skillText }, /more than one SKILL\.md/],
  ];
  for (const [entry, message] of cases) await refuse(zipOf([skill, entry]), message);
});

test('501 files and 33 MiB unzipped are refused, 500 and 32 MiB pass', async () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `f${index}`, content: 'x' }));
  assert.equal((await parseBundle(skillZip(files(499)))).files.size, 500);
  await refuse(skillZip(files(500)), /more than 500 files/);
  // Random enough to stay below the ratio.
  const piece = Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i % 97 === 0 ? (i * i) % 251 : 65)));
  const chunk = Buffer.alloc(8_388_608, piece);
  const large = (bytes: number, path: string) => ({ path, content: chunk.subarray(0, bytes) });
  const four = ['a', 'b', 'c'].map((path) => ({ path, content: chunk }));
  const rest = 33_554_432 - 3 * 8_388_608 - Buffer.byteLength(skillText);
  assert.equal((await parseBundle(skillZip([...four, large(rest, 'd')]))).files.size, 5);
  await refuse(skillZip([...four, large(rest + 1, 'd')]), /larger than 33554432/);
});

test('what is no bundle is refused and says why', async () => {
  await refuse(Buffer.from('not a zip'), /not a zip/);
  await refuse(Buffer.alloc(0), /not a zip/);
  await refuse(skillZip().subarray(0, -30), /not a (readable )?zip/);
  await refuse(zipOf([]), /no SKILL\.md/);
  await refuse(zipOf([{ path: 'skill.md', content: skillText }]), /no SKILL\.md/);
  await refuse(
    zipOf([{ path: 'a/SKILL.md', content: skillText }, { path: 'b.txt' }]),
    /has to be at the root/,
  );
  await refuse(zipOf([{ path: 'a/b/SKILL.md', content: skillText }]), /has to be at the root/);
  await refuse(
    zipOf([{ ...skill, content: `${skillText}${'x'.repeat(262_144)}`, stored: true }]),
    /larger than 262144/,
  );
  await refuse(zipOf([{ path: 'SKILL.md', content: Buffer.from([0xff, 0xfe]) }]), /not UTF-8/);
});

test('front matter is plain data with a name and a description', async () => {
  const head = (text: string) => skillZip([], `---\n${text}\n---\nbody`);
  const cases: readonly (readonly [string, RegExp])[] = [
    ['description: x', /name has to be/],
    ['name: Weekly\ndescription: x', /name has to be/],
    ['name: a--b\ndescription: x', /name has to be/],
    ['name: -a\ndescription: x', /name has to be/],
    ['name: 12\ndescription: x', /name has to be/],
    [`name: ${'a'.repeat(65)}\ndescription: x`, /name has to be/],
    ['name: a\ndescription: ""', /description has to be/],
    ['name: a\ndescription: [x]', /description has to be/],
    [`name: a\ndescription: ${'x'.repeat(1025)}`, /description has to be/],
    ['name: a\nname: b\ndescription: x', /not valid YAML/],
    ['name: !!str a\ndescription: x', /tags/],
    ['name: !evil a\ndescription: x', /not valid YAML/],
    ['name: &n a\ndescription: *n', /anchors/],
    ['- a', /has to be a mapping/],
    ['name: [', /not valid YAML/],
  ];
  for (const [text, message] of cases) await refuse(head(text), message);
  await refuse(skillZip([], 'name: a\ndescription: x'), /no front matter/);
  const full =
    'name: a1-b\ndescription: 日本\nlicense: MIT\nmetadata:\n  k: [1, true]\nallowed-tools: x\nother: y';
  const bundle = await parseBundle(head(full));
  assert.deepEqual(bundle.extra, { license: 'MIT', metadata: { k: [1, true] }, 'allowed-tools': 'x' });
  const windows = await parseBundle(skillZip([], skillText.replaceAll('\n', '\r\n')));
  assert.equal(windows.name, 'weekly-report');
});
