import assert from 'node:assert/strict';
import promises, { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

import { guideSourceId } from '../../src/features/search/corpus/document.ts';
import { docsLocation, indexDocs, switchOffDocs, switchOnDocs } from '../../src/features/index/docs.ts';
import { openBackgroundIndexing } from '../../src/features/index/open-indexing.ts';
import { refreshSource } from '../../src/features/index/refresh.ts';
import { defaultOptions, sourceId, toSource } from '../../src/features/index/source.ts';
import { PageError } from '../../src/features/search/page.ts';
import { makePdf } from '../support/site-files.ts';
import { hangMs, until } from '../support/until.ts';
import { counts, openTestIndex } from './index-support.ts';

async function openFolder(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-index-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, content: string | Uint8Array) => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return { folder, write, urlOf: (name: string) => pathToFileURL(join(folder, name)).href };
}

test('a folder of many kinds is found, and follows what its files become', async (t) => {
  const { folder, write, urlOf } = await openFolder(t, {
    'guide.md': '---\ntitle: The guide\ndate: 2024-05-06\n---\n# Guide\n\nThe albatross glides.',
    'sub/page.html': '<html lang="de"><title>Seite</title><p>Die Möwe schreit am Hafen und fliegt davon.</p>',
    'sub/deep/data.csv': 'bird,colour\npelican,white\n',
    'data.json': '{"bird": "cormorant"}',
    'report.pdf': makePdf([['The puffin breeds on cliffs.']]),
    'notes.txt': 'Oystercatcher, seen in May.',
    'source.ts': 'const heron = 1;',
    '.hidden/secret.md': 'kingfisher',
    'node_modules/x/readme.md': 'kingfisher',
  });
  const index = await openTestIndex(t);
  assert.deepEqual(counts(await index.add('folder', folder)), { added: 6 });
  for (const [word, name] of Object.entries({
    albatross: 'guide.md', möwe: 'sub/page.html', pelican: 'sub/deep/data.csv', cormorant: 'data.json', puffin: 'report.pdf', oystercatcher: 'notes.txt',
  })) assert.deepEqual(await index.urls(word), [urlOf(name)], word); // prettier-ignore
  assert.deepEqual([await index.urls('heron'), await index.urls('kingfisher')], [[], []]);
  const [guide] = await index.find('albatross');
  assert.deepEqual([guide?.title, guide?.date], ['The guide', '2024-05-06']);

  await write('guide.md', '# Guide\n\nThe petrel glides.');
  await rm(join(folder, 'notes.txt'));
  await write('new.md', 'A spoonbill.');
  const outcome = await index.refresh(folder);
  assert.deepEqual(outcome && counts(outcome), { added: 1, changed: 1, unchanged: 4, removed: 1 });
  assert.deepEqual([await index.urls('albatross'), await index.urls('oystercatcher')], [[], []]);
  assert.deepEqual(await index.urls('petrel'), [urlOf('guide.md')]);
});

test('a row of a table is found with the names of its columns, an entry of data with its own', async (t) => {
  const rows = Array.from({ length: 200 }, (_, at) => `bird ${at},colour of ${at},lake ${at}`);
  const { folder } = await openFolder(t, {
    'birds.csv': `name,plumage,home\n${rows.join('\n')}\nkea,green,mountains\n`,
    'data.json': '{"limits": {"upload": 25}, "people": [{"name": "Anna", "role": "curator"}]}',
  });
  const index = await openTestIndex(t);
  await index.add('folder', folder);
  const [row] = await index.find('kea mountains');
  assert.match(row?.snippet ?? '', /\| name \| plumage \| home \|\n[^]*\n\| kea \| green \| mountains \|/);
  const [entry] = await index.find('curator');
  assert.match(
    entry?.snippet ?? '',
    /## limits\n\n- upload: 25\n\n## people\n\n\| name \| role \|\n[^]*\| Anna \| curator \|/,
  );
  assert.equal(entry?.title, 'data.json');
});

test('patterns and depth choose files, and what they name is read as text whatever it is called', async (t) => {
  const { folder, urlOf } = await openFolder(t, {
    Makefile: 'build: heron',
    'a.md': 'heron',
    'sub/b.md': 'heron',
    'sub/drafts/c.md': 'heron',
  });
  const index = await openTestIndex(t);
  await index.add('folder', folder, { include: ['**/Makefile', 'sub/**'], exclude: ['**/drafts/**'] });
  assert.deepEqual((await index.urls('heron')).toSorted(), [urlOf('Makefile'), urlOf('sub/b.md')]);
  await index.add('folder', folder, { depth: 0 });
  assert.deepEqual(await index.urls('heron'), [urlOf('a.md')]);
});

test('what is known of a file stays when there was no time to read it, and the next refresh reads it', async (t) => {
  const { folder, write, urlOf } = await openFolder(t, { 'a.md': 'An albatross.' });
  const index = await openTestIndex(t);
  await index.add('folder', folder);
  await write('a.md', 'A petrel.');
  for (const reason of ['busy', 'timeout'] as const) {
    const extract = () => Promise.reject(new PageError(reason, 'Later.'));
    const reader = { ...index.parts.reader, extract };
    const source = {
      id: sourceId(folder),
      kind: 'folder',
      location: folder,
      options: defaultOptions,
      everyMs: null,
      accountId: '',
    } as const;
    const outcome = await refreshSource({ ...index.parts, reader }, source, new AbortController().signal);
    assert.deepEqual(outcome?.failures, [{ url: urlOf('a.md'), reason }]);
    assert.deepEqual(await index.urls('albatross'), [urlOf('a.md')]);
  }
  await index.refresh(folder);
  assert.deepEqual([await index.urls('albatross'), await index.urls('petrel')], [[], [urlOf('a.md')]]);
});

test('all other files are found while a long one still gets its vectors', async (t) => {
  const others = Array.from({ length: 60 }, (_, at) => [`other-${at}.md`, `An otter and a number: ${at}.`]);
  const { folder, urlOf } = await openFolder(t, {
    'long.md': 'A glacier.',
    ...(Object.fromEntries(others) as Record<string, string>),
  });
  const index = await openTestIndex(t);
  const { maker, sources, corpus } = index.parts;
  const gate = Promise.withResolvers<void>();
  const slow: typeof maker.toDocument = async (page, ...others) => {
    if (page.text.includes('glacier')) await gate.promise;
    return maker.toDocument(page, ...others);
  };
  const row = await sources.ensure({
    id: sourceId(folder), kind: 'folder', location: folder, options: '{}', everyMs: null, addedAtMs: 0,
  }); // prettier-ignore
  const context = { ...index.parts, maker: { ...maker, toDocument: slow } };
  const reading = refreshSource(context, toSource(row), new AbortController().signal);
  await until(async () => (await corpus.count(row.id)) === others.length);
  assert.ok((await index.urls('otter')).length > 0);
  assert.deepEqual(await index.urls('glacier'), []);
  gate.resolve();
  assert.equal((await reading)?.added, others.length + 1);
  assert.deepEqual(await index.urls('glacier'), [urlOf('long.md')]);
});

test('a refresh that fails at one file stops at the others', async (t) => {
  const files = Array.from({ length: 60 }, (_, at) => [`${String(at).padStart(2, '0')}.md`, `Otter ${at}.`]);
  const { folder } = await openFolder(t, Object.fromEntries(files) as Record<string, string>);
  const index = await openTestIndex(t);
  const { maker, sources } = index.parts;
  let made = 0;
  const failing: typeof maker.toDocument = (page, ...others) => {
    made++;
    return page.text === 'Otter 1.' ? Promise.reject(new Error('broken')) : maker.toDocument(page, ...others);
  };
  const row = await sources.ensure({
    id: sourceId(folder), kind: 'folder', location: folder, options: '{}', everyMs: null, addedAtMs: 0,
  }); // prettier-ignore
  const context = { ...index.parts, maker: { ...maker, toDocument: failing } };
  const reading = refreshSource(context, toSource(row), new AbortController().signal);
  await assert.rejects(reading, { message: 'broken' });
  assert.ok(made < files.length, `${made}`);
});

test('a broken file is told and costs nothing else; a folder that is gone keeps its documents', async (t) => {
  const { folder, urlOf, write } = await openFolder(t, {
    'good.md': 'heron',
    'bad.pdf': '%PDF-1.7 nothing',
    'large.txt': 'albatross',
  });
  await truncate(join(folder, 'large.txt'), 20_971_521);
  const index = await openTestIndex(t);
  const outcome = await index.add('folder', folder);
  assert.equal(outcome.added, 1);
  assert.deepEqual(
    new Map(outcome.failures.map(({ url, reason }) => [url, reason])),
    new Map([
      [urlOf('large.txt'), 'too_large'],
      [urlOf('bad.pdf'), 'unreadable'],
    ]),
  );
  await rm(folder, { recursive: true });
  await assert.rejects(index.refresh(folder), { message: 'The folder cannot be read.' });
  assert.deepEqual(await index.urls('heron'), [urlOf('good.md')]);
  await write('other.md', 'stork');
  await chmod(folder, 0o755);
  assert.equal((await index.refresh(folder))?.removed, 1);
});

test('a folder below that cannot be read is told, and its documents are kept, unless it is left out', async (t) => {
  const { folder, urlOf } = await openFolder(t, {
    'a.md': 'albatross',
    'b.md': 'bittern',
    'locked/c.md': 'cormorant',
    'locked/deep/d.md': 'dunlin',
    'locked-not/e.md': 'egret',
    'vanished/f.md': 'falcon',
  });
  const index = await openTestIndex(t);
  await index.add('folder', folder);
  const { readdir } = promises;
  t.mock.method(promises, 'readdir', (path: string, options: { readonly withFileTypes: true }) => {
    const code = { locked: 'EIO', vanished: 'ENOENT' }[path.slice(folder.length + 1)];
    if (code !== undefined) return Promise.reject(Object.assign(new Error(code), { code }));
    return readdir(path, options);
  });
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  for (const name of ['b.md', 'locked-not/e.md']) await rm(join(folder, name));
  const failures = ['locked', 'vanished'].map((name) => ({ url: `${urlOf(name)}/`, reason: 'unreadable' }));
  for (const removed of [2, 0]) {
    const outcome = await index.refresh(folder);
    assert.deepEqual([outcome?.removed, outcome?.unchanged, outcome?.failures], [removed, 1, failures]);
  }
  const kept = { cormorant: 'locked/c.md', dunlin: 'locked/deep/d.md', falcon: 'vanished/f.md' };
  for (const [word, name] of Object.entries(kept)) assert.deepEqual(await index.urls(word), [urlOf(name)]);
  assert.deepEqual([await index.urls('bittern'), await index.urls('egret')], [[], []]);
  const without = await index.add('folder', folder, { exclude: ['locked/**'] });
  assert.deepEqual(counts(without), { unchanged: 1, removed: 2, failed: 1 });
  assert.equal((await index.add('folder', folder, { exclude: ['locked/*'] })).failed, 2);
});

test('the documentation is found at the address of the server, and read again only when it changed', async (t) => {
  const { folder, write } = await openFolder(t, {
    'README.md': '# Nestor\n\nA server.',
    'docs/guide/keys.md': '# Keys and tokens\n\nHow to revoke a token.',
    'docs/architecture.md': '# Not for users\n\nrevoke',
  });
  const index = await openTestIndex(t);
  const root = pathToFileURL(`${folder}/`);
  const { signal } = new AbortController();
  await indexDocs(index.parts, { root, base: 'http://127.0.0.1:8787' }, signal);
  const [hit, other] = await index.find('revoke token');
  assert.deepEqual(
    [hit?.url, hit?.title, other],
    ['http://127.0.0.1:8787/docs/guide/keys', 'Keys and tokens', undefined],
  );
  const before = await index.parts.sources.list();
  await indexDocs(index.parts, { root, base: 'http://127.0.0.1:8787' }, signal);
  assert.deepEqual(await index.parts.sources.list(), before);
  await write('docs/guide/keys.md', '# Keys\n\nHow to rotate a token.');
  await indexDocs(index.parts, { root, base: 'https://nestor.example.com' }, signal);
  assert.deepEqual(await index.urls('rotate'), ['https://nestor.example.com/docs/guide/keys']);
  assert.deepEqual(await index.urls('revoke'), []);
});

test('what somebody added stands before the guide where it is as good, and behind it where it is not', async (t) => {
  const { folder } = await openFolder(t, {
    'README.md': '# Nestor\n\nA server.',
    'docs/guide/keys.md': '# Tokens\n\nHow to revoke a token of an account.',
  });
  const index = await openTestIndex(t);
  const root = pathToFileURL(`${folder}/`);
  await indexDocs(index.parts, { root, base: 'http://guide' }, new AbortController().signal);
  assert.equal(guideSourceId, sourceId(docsLocation));
  await index.put('http://own/passes', {
    title: 'Tokens',
    text: '# Tokens\n\nHow to revoke a token of some visitor who came on a Monday.',
  });
  assert.deepEqual(await index.urls('revoke a token'), ['http://own/passes', 'http://guide/docs/guide/keys']);
  assert.deepEqual(await index.urls('tokens of an account'), [
    'http://guide/docs/guide/keys',
    'http://own/passes',
  ]);
});

test('documentation that was switched off stays off, until it is switched on', async (t) => {
  const { folder } = await openFolder(t, {
    'README.md': '# Nestor\n\nA server.',
    'docs/guide/keys.md': '# Keys\n\nHow to revoke a token.',
  });
  const index = await openTestIndex(t);
  const start = () =>
    indexDocs(
      index.parts,
      { root: pathToFileURL(`${folder}/`), base: 'http://a' },
      new AbortController().signal,
    );
  const found = () => index.urls('revoke');
  await start();
  assert.deepEqual(await found(), ['http://a/docs/guide/keys']);
  assert.equal(await switchOffDocs(index.parts), 2);
  for (const _start of [1, 2]) {
    await start();
    assert.deepEqual([await found(), (await index.parts.sources.list()).length], [[], 1]);
  }
  await switchOnDocs(index.parts);
  await start();
  assert.deepEqual(await found(), ['http://a/docs/guide/keys']);
});

test('searches wait for documentation that no start has indexed yet, and for no other', async (t) => {
  const { folder } = await openFolder(t, { 'README.md': '# Nestor\n\nHow to revoke a token.' });
  const index = await openTestIndex(t);
  const start = (base: string, delayMs: number) => {
    const docs = { root: pathToFileURL(`${folder}/`), base };
    const log = { info: () => {}, warn: () => {} };
    const background = openBackgroundIndexing({ context: index.parts, docs, log, delayMs });
    t.after(() => background.close());
    return background;
  };
  await start('http://a', 0).firstFill;
  assert.deepEqual(await index.urls('revoke'), ['http://a/docs/README']);
  await start('http://b', hangMs).firstFill;
  assert.deepEqual(await index.urls('revoke'), ['http://a/docs/README']);
  await switchOffDocs(index.parts);
  await start('http://c', hangMs).firstFill;
});

test('a server reads sources when they are due, also after one that cannot be read', async (t) => {
  const { folder, urlOf } = await openFolder(t, { 'README.md': '# Nestor', 'sub/a.md': 'heron' });
  const index = await openTestIndex(t);
  const { sources } = index.parts;
  const options = JSON.stringify(defaultOptions);
  const due = { kind: 'folder', options, everyMs: 60_000, addedAtMs: Date.now() - 120_000 };
  await sources.ensure({ ...due, id: 'gone', location: join(folder, 'gone') });
  await sources.ensure({ ...due, id: 'here', location: join(folder, 'sub'), addedAtMs: due.addedAtMs + 1 });
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (about: unknown) => void warned.push(about) };
  const background = openBackgroundIndexing({
    context: index.parts,
    docs: { root: pathToFileURL(`${folder}/`), base: 'http://h' },
    log,
    delayMs: 0,
    lookMs: 10,
  });
  t.after(() => background.close());
  await background.docsSettled;
  assert.equal((await index.urls('nestor'))[0], 'http://h/docs/README');
  await until(async () => (await index.urls('heron')).length > 0);
  assert.deepEqual(await index.urls('heron'), [urlOf('sub/a.md')]);
  await background.close();
  assert.equal(warned.length, 1);
  assert.deepEqual(
    (await sources.list())
      .map(({ id, refreshedAtMs }) => [id, refreshedAtMs !== null])
      .filter(([id]) => id === 'gone' || id === 'here'),
    [
      ['gone', false],
      ['here', true],
    ],
  );
  assert.equal(await sources.due(Date.now()), undefined);
});
