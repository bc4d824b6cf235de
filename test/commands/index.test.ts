import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { runIndex } from '../../src/features/index/commands/index-documents.ts';
import { configuration } from '../../src/configuration.ts';
import { sourceId, toSource } from '../../src/features/index/source.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openIndexTools } from '../../src/features/index/open-index.ts';
import { CorpusAttempts } from '../../src/features/index/store/attempts.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { putStore } from '../support/made-store.ts';
import { startServer, untilDocs } from '../support/server.ts';
import { startSite } from '../support/site.ts';
import type { Ended } from './support.ts';

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-index-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The command over the store in `data`. */
async function index(cwd: string, data: string, argv: readonly string[], config?: object): Promise<Ended> {
  const written = { out: '', err: '' };
  const terminal = (to: 'out' | 'err') => ({ write: (text: string) => void (written[to] += text) });
  const file = join(cwd, 'nestor.yaml');
  if (config !== undefined) writeFileSync(file, JSON.stringify(config));
  const code = await runIndex(argv, {
    cwd,
    load: async () =>
      configuration.load({
        env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words' },
        cwd,
        ...(config !== undefined && { file }),
      }),
    openIndex: openIndexTools,
    out: terminal('out'),
    err: terminal('err'),
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return { code, ...written };
}

interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly location: string;
  readonly documents: number;
  readonly embedded: number;
  readonly every_ms: number | null;
  readonly refreshed_at: number | null;
  readonly set_aside: string | null;
}

test('a folder is added, listed, refreshed and removed', async (t) => {
  const folder = openFolder(t);
  const data = join(folder, 'data');
  mkdirSync(join(folder, 'handbook'));
  for (const name of ['a', 'b'])
    writeFileSync(join(folder, 'handbook', `${name}.md`), `# ${name}\n\nheron ${name}`);
  const run = (...argv: string[]) => index(folder, data, argv);
  const added = await run('add', 'handbook', '--every', '12h');
  assert.deepEqual([added.code, added.out], [0, `${join(folder, 'handbook')}: 2 added\n`]);
  const [row] = JSON.parse((await run('ls', '--json')).out) as Listed[];
  assert.deepEqual([row?.kind, row?.documents, row?.every_ms], ['folder', 2, 43_200_000]);
  assert.equal(row?.embedded, 2);
  assert.match(
    (await run('ls')).out,
    /^ID +KIND +ACCOUNT +DOCUMENTS +EMBEDDED +FAILED .*\n\S+ +folder +- +2 +2 +0 /,
  );
  const ofNobody = await run('add', 'handbook', '--account', 'nobody');
  assert.deepEqual([ofNobody.code, ofNobody.err.includes('No account "nobody"')], [2, true]);
  const ofOthers = await run('ls', '--json', '--account', 'nobody');
  assert.equal(ofOthers.out, '[]\n');
  writeFileSync(join(folder, 'handbook', 'b.md'), 'stork');
  const refreshed = JSON.parse((await run('refresh', 'handbook', '--json')).out) as Record<string, unknown>[];
  assert.deepEqual([refreshed[0]?.['changed'], refreshed[0]?.['unchanged']], [1, 1]);
  const removed = await run('rm', row?.id ?? '');
  assert.deepEqual([removed.code, removed.out], [0, `${join(folder, 'handbook')}: 2 removed\n`]);
  assert.equal((await run('ls', '--json')).out, '[]\n');
});

test('a source that was set aside is named by every listing, and read when it is asked for', async (t) => {
  const folder = openFolder(t);
  const data = join(folder, 'data');
  mkdirSync(join(folder, 'handbook'));
  for (const name of ['a', 'b'])
    writeFileSync(join(folder, 'handbook', `${name}.md`), `# ${name}\n\nheron ${name}`);
  const run = (...argv: string[]) => index(folder, data, argv);
  await run('add', 'handbook');
  const config = configuration.load({
    env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words' },
    cwd: folder,
  });
  const database = await openDatabase(config.database, { dataFolder: data });
  const attempts = new CorpusAttempts(database.db);
  const url = pathToFileURL(join(folder, 'handbook', 'a.md')).href;
  const id = sourceId(join(folder, 'handbook'));
  for (let time = 0; time < 2; time++) await attempts.begin(id, [url]);
  await database.close();
  // A server would find it so as well.
  assert.equal((await run('refresh')).code, 1);
  for (const argv of [['ls'], ['refresh']]) {
    const told = await run(...argv);
    assert.match(told.err, new RegExp(`handbook is set aside\\. .* twice while it read ${url}\\.`));
    assert.equal(told.code, argv[0] === 'ls' ? 0 : 1);
  }
  const named = await run('refresh', 'handbook');
  assert.match(named.out, /: 0 added, 1 unchanged, 1 failed\n$/);
  assert.match(named.err, /a\.md: the process ended twice while it was read/);
  const [row] = JSON.parse((await run('ls', '--json')).out) as Listed[];
  assert.deepEqual([row?.set_aside, row?.documents], [null, 2]);
});

test('a site is added; what fails is named and told by the exit code', async (t) => {
  const folder = openFolder(t);
  const site = await startSite(t, {
    '/': '<title>Front</title><p>heron <a href="/gone">gone</a> <a href="/broken">broken</a>',
    '/broken': { status: 500, body: '' },
  });
  const config = { outbound: { allow_hosts: [site.host] } };
  const { code, out, err } = await index(
    folder,
    join(folder, 'data'),
    ['add', site.url, '--depth', '1'],
    config,
  );
  assert.equal(code, 1);
  assert.equal(out, `${site.url}/: 1 added, 1 failed\n`);
  assert.ok(err.includes(`nestor: ${site.url}/broken: status 500\n`));
});

test('a host of a private network is named as one, with the key of the configuration that opens it', async (t) => {
  const folder = openFolder(t);
  const site = await startSite(t, { '/': '<title>Front</title><p>heron' });
  const { code, err } = await index(folder, join(folder, 'data'), ['add', site.url]);
  assert.equal(code, 1);
  assert.match(err, /: a private address; outbound\.allow_hosts opens a host of your own \(refused\)\n/);
});

test('a command that cannot be carried out says what is wrong with it', async (t) => {
  const folder = openFolder(t);
  mkdirSync(join(folder, 'data'));
  await putStore(join(folder, 'data'), 'bare');
  const cases: readonly (readonly [argv: readonly string[], message: string])[] = [
    [['add'], 'PATH or URL is missing.'],
    [['add', 'nowhere'], `${join(folder, 'nowhere')} is no folder, and no http:// or https:// address.`],
    [['add', 'ftp://a/'], 'Only http:// and https:// addresses are fetched.'],
    [['add', 'http://u:p@a/'], 'That is no address that can be fetched.'],
    [
      ['add', '.', '--depth', '-1'],
      '--depth lacks its value; one that begins with - is given as --depth=-1.',
    ],
    [['add', '.', '--depth', 'x'], '--depth takes a whole number from 0 to 100.'],
    [['add', '.', '--include', '{1..9}'], 'include takes patterns of *, **, ?, [a-z] and {a,b}'],
    [['add', '.', '--every', '5s'], '--every takes a time such as 30m, 12h or 1d.'],
    [['add', '.', '--host', 'a'], '--host belongs to addresses.'],
    [['ls', '--depth', '1'], '--depth belongs to add.'],
    [['ls', 'x'], 'Unexpected argument "x".'],
    [['rm', 'x'], 'No source "x"; nestor index ls lists them.'],
    [['grow'], 'Unknown verb "grow".'],
  ];
  for (const [argv, message] of cases) {
    const { code, err } = await index(folder, join(folder, 'data'), argv);
    assert.deepEqual([code, err.includes(message)], [2, true], `${argv.join(' ')}: ${err}`);
  }
  const help = await index(folder, join(folder, 'data'), ['--help']);
  assert.ok(help.code === 0 && help.out.includes('nestor index add URL --depth 3'));
});

test('what is added beside a running server is found by it, as is its own documentation', async (t) => {
  const server = await startServer(t, { withDocs: true });
  const folder = openFolder(t);
  writeFileSync(join(folder, 'zebra.md'), '# Zebra crossing\n\nThe okapi crosses at noon.');
  assert.equal((await index(folder, server.data, ['add', '.'])).code, 0);
  const find = async (query: string) => {
    const reply = await server.post('/search', { query });
    assert.equal(reply.status, 200);
    return ((await reply.json()) as { results: { url: string }[] }).results.map(({ url }) => url);
  };
  assert.ok((await find('okapi'))[0]?.endsWith('/zebra.md'));
  await untilDocs(server);
  const rows = JSON.parse((await index(folder, server.data, ['ls', '--json'])).out) as Listed[];
  assert.ok(rows.some(({ kind, refreshed_at: at }) => kind === 'docs' && at !== null));
  assert.equal((await find('how do I revoke a token'))[0], `${server.url}/docs/guide/keys`);
});

test('a process that is killed in the middle leaves a whole index, and the next one goes on', async (t) => {
  const folder = openFolder(t);
  const data = join(folder, 'data');
  mkdirSync(join(folder, 'many'));
  const files = 600;
  for (let n = 0; n < files; n++)
    writeFileSync(join(folder, 'many', `f${n}.md`), `# File ${n}\n\n${`heron${n} flies. `.repeat(60)}`);
  const script = fileURLToPath(new URL('./index-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, folder, data], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const tools = await openIndexTools(
    configuration.load({ env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words' }, cwd: folder }),
  );
  const [row] = await tools.sources.list();
  const kept = await tools.corpus.count(row?.id ?? '');
  await tools.close();
  assert.ok(kept > 0 && kept < files, `${kept} of ${files}`);
  // The one that was killed could not give its lease back, so this one comes after its end.
  const later = { now: () => Date.now() + 60_000, monotonic: () => performance.now() };
  const next = await openIndexTools(
    configuration.load({ env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words' }, cwd: folder }),
    later,
  );
  t.after(() => next.close());
  assert.ok(row !== undefined);
  const outcome = await next.refresh(toSource(row), new AbortController().signal, () => {});
  assert.deepEqual([outcome?.added, outcome?.unchanged, outcome?.removed], [files - kept, kept, 0]);
});
