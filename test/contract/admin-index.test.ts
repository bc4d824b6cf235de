import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test, type TestContext } from 'node:test';
import { configuration } from '../../src/configuration.ts';
import { toSource } from '../../src/features/index/source.ts';
import { operations } from '../support/operations.ts';
import { openIndexTools } from '../../src/features/index/open-index.ts';
import { CorpusAttempts } from '../../src/features/index/store/attempts.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createClient, errorOf, jsonOf, type Received } from '../support/http.ts';
import { postgresSkipReason, sharePostgres, type SharedPostgres } from '../support/postgres.ts';
import { isLongRun } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';
import { settings } from '../support/settings.ts';
import { startSite, type SiteScript } from '../support/site.ts';
import { assertError, assertSuccess } from '../support/strict.ts';
import { poll } from '../support/until.ts';

const adminKey = 'admin-key-of-a-test-0123456789';
const list = operations({ ...settings, admin: true });

interface IndexSource {
  readonly id: string;
  readonly kind: string;
  readonly location: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly every: string | null;
  readonly documents: number;
  readonly embedded: number;
  readonly refreshed_at: number | null;
  readonly next_refresh_at: number | null;
  readonly state: string;
  readonly error: string | null;
  readonly progress: { readonly done: number; readonly total: number; readonly failed: number } | null;
  readonly outcome: Readonly<Record<string, number>> | null;
}

interface Opened {
  readonly data: string;
  readonly call: (
    id: string,
    options?: { readonly source?: string; readonly body?: unknown; readonly status?: number },
  ) => Promise<Received>;
  readonly sources: () => Promise<readonly IndexSource[]>;
  /** What the list says of a source as soon as it is as wanted. */
  readonly until: (id: string, isWanted: (source: IndexSource) => boolean) => Promise<IndexSource>;
  readonly search: (query: string) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

interface OpenOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly allowHosts?: readonly string[];
  readonly data?: string;
  readonly withDocs?: boolean;
}

async function open(t: TestContext, options: OpenOptions = {}): Promise<Opened> {
  const { env = {}, allowHosts = [], data, withDocs = false } = options;
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  t.after(stop);
  const server = await startServer(
    { after: (close) => void closers.push(close) },
    {
      env: { NESTOR_ADMIN_KEY: adminKey, ...env },
      config: JSON.stringify({ outbound: { allow_hosts: allowHosts } }),
      ...(data === undefined ? {} : { data }),
      withDocs,
    },
  );
  const send = createClient(server.url);
  closers.push(() => Promise.resolve(send.close()));
  const call: Opened['call'] = async (id, { source = '', body, status = 200 } = {}) => {
    const operation = list.find((one) => one.id === id);
    assert.ok(operation, id);
    const received = await send({
      method: operation.method,
      path: operation.paths[0].replace('{source_id}', source),
      headers: { authorization: `Bearer ${adminKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (status >= 400) assertError(received, 'plain', status, id);
    else {
      assert.equal(received.status, status, `${id}: ${received.text}`);
      assertSuccess(received, operation, id);
    }
    return received;
  };
  const sources: Opened['sources'] = async () =>
    jsonOf<{ readonly data: readonly IndexSource[] }>(await call('adminListIndexSources')).data;
  return {
    data: server.data,
    call,
    sources,
    async until(id, isWanted) {
      const source = await poll(
        async () => (await sources()).find((one) => one.id === id),
        (found) => found !== undefined && isWanted(found),
      );
      assert.ok(source);
      return source;
    },
    async search(query) {
      const response = await server.post('/search', { query });
      const { results } = (await response.json()) as { readonly results: readonly { url: string }[] };
      return results.map(({ url }) => url);
    },
    stop,
  };
}

async function openFolder(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-admin-index-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'handbook'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'handbook', name), text);
  return join(folder, 'handbook');
}

const isReady = ({ state }: IndexSource) => state === 'ready';
const page = (text: string) => `<!doctype html><title>${text}</title><article><p>${text}</p></article>`;

/** A page that is answered when the test says so. */
function openGate(): {
  readonly script: SiteScript;
  readonly open: () => void;
  readonly reached: Promise<void>;
} {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  return {
    open: gate.resolve,
    reached: reached.promise,
    script(_request, response) {
      reached.resolve();
      void gate.promise.then(() =>
        response.setHeader('content-type', 'text/html').end(page('A heron behind a gate.')),
      );
    },
  };
}

function storeTests(name: string, env: () => Promise<Readonly<Record<string, string>>>): void {
  test(`${name}: a folder is added, found, refreshed, changed and removed`, async (t) => {
    const opened = await open(t, { env: await env() });
    const { call, until } = opened;
    const folder = await openFolder(t, { 'a.md': '# A\n\nThe zebrafinch sings.', 'b.txt': 'A second one.' });
    const add = { location: folder, include: ['*.md'], every: '12h' };
    const added = jsonOf<IndexSource>(await call('adminAddIndexSource', { body: add, status: 201 }));
    assert.ok(['queued', 'running'].includes(added.state));
    const read = await until(added.id, isReady);
    assert.deepEqual(
      [read.kind, read.location, read.every, read.documents, read.error, read.progress],
      ['folder', folder, '12h', 1, null, null],
    );
    assert.equal(read.embedded, 1);
    assert.deepEqual(read.options, {
      depth: null,
      include: ['*.md'],
      exclude: [],
      hosts: [],
      pages_max: 10_000,
    });
    assert.deepEqual([read.outcome?.['added'], read.outcome?.['failed']], [1, 0]);
    assert.ok(Number(read.next_refresh_at) - Number(read.refreshed_at) >= 12 * 3_600 - 1);
    assert.match((await opened.search('zebrafinch'))[0] ?? '', /a\.md$/);

    await writeFile(join(folder, 'c.md'), '# C\n\nThe capercaillie dances.');
    const begun = jsonOf<IndexSource>(await call('adminRefreshIndexSource', { source: added.id }));
    assert.ok(['queued', 'running'].includes(begun.state));
    await until(added.id, (source) => isReady(source) && source.documents === 2);

    const again = await call('adminAddIndexSource', { body: { location: `${folder}/.` }, status: 200 });
    assert.equal(jsonOf<IndexSource>(again).id, added.id);
    const wider = await until(added.id, (source) => isReady(source) && source.documents === 3);
    assert.deepEqual([wider.every, wider.next_refresh_at, wider.options['include']], [null, null, []]);

    const removed = jsonOf<object>(await call('adminRemoveIndexSource', { source: added.id }));
    assert.deepEqual(removed, {
      object: 'index_source_removal',
      id: added.id,
      location: folder,
      documents_removed: 3,
    });
    assert.ok((await opened.sources()).every(({ id }) => id !== added.id));
    assert.ok((await opened.search('capercaillie')).every((url) => !url.endsWith('c.md')));
    await call('adminRemoveIndexSource', { source: added.id, status: 404 });
  });

  test(`${name}: a command that reads a source keeps the server from it, and is told as running`, async (t) => {
    const gate = openGate();
    const site = await startSite(t, { '/': gate.script });
    const given = await env();
    const { call, until, data } = await open(t, { env: given, allowHosts: [site.host] });
    const config = configuration.load({
      env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words', ...given },
      cwd: data,
    });
    const command = await openIndexTools({
      ...config,
      outbound: { ...config.outbound, allowHosts: [site.host] },
    });
    t.after(() => command.close());
    const location = `${site.url}/`;
    const row = await command.sources.ensure({
      id: 'by-command',
      kind: 'web',
      location,
      options: '{}',
      everyMs: null,
      addedAtMs: Date.now(),
    });
    const reading = command.refresh(toSource(row), new AbortController().signal, () => {});
    await gate.reached;
    await call('adminRefreshIndexSource', { source: row.id });
    const running = await until(row.id, ({ state, progress }) => state === 'running' && progress === null);
    assert.equal(running.next_refresh_at, null);
    gate.open();
    assert.equal((await reading)?.added, 1);
    const read = await until(row.id, isReady);
    assert.deepEqual([read.documents, read.outcome?.['added']], [1, 1]);
    assert.equal(site.requests.filter(({ path }) => path === '/').length, 1);
  });

  test(`${name}: what a server that stops leaves unread is due for the next`, async (t) => {
    const gate = openGate();
    const site = await startSite(t, { '/': gate.script });
    const folder = await mkdtemp(join(tmpdir(), 'nestor-admin-index-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const given = await env();
    const opened = await open(t, { env: given, allowHosts: [site.host], data: folder });
    const body = { location: site.url };
    const { id } = jsonOf<IndexSource>(await opened.call('adminAddIndexSource', { body, status: 201 }));
    await gate.reached;
    const config = configuration.load({ env: { NESTOR_DATA: folder, ...given }, cwd: folder });
    const database = await openDatabase(config.database, { dataFolder: folder });
    t.after(() => database.close());
    const rows = new CorpusSources(database.db);
    // With the page still behind its gate: the end of a server waits for no site.
    await opened.stop();
    gate.open();
    assert.equal((await rows.due(Date.now() + 60_000))?.id, id);
  });
}

test('a source that was set aside says why, and is read when it is asked for', async (t) => {
  const site = await startSite(t, { '/': page('Herons.') });
  const data = await mkdtemp(join(tmpdir(), 'nestor-admin-index-'));
  t.after(() => rm(data, { recursive: true, force: true }));
  const { call, until, sources } = await open(t, { allowHosts: [site.host], data });
  const body = { location: site.url };
  const { id } = jsonOf<IndexSource>(await call('adminAddIndexSource', { body, status: 201 }));
  await until(id, isReady);
  const config = configuration.load({ env: { NESTOR_DATA: data }, cwd: data });
  const database = await openDatabase(config.database, { dataFolder: data });
  t.after(() => database.close());
  const attempts = new CorpusAttempts(database.db);
  const fatal = `${site.url}/fatal`;
  for (let time = 0; time < 2; time++) await attempts.begin(id, [fatal]);
  await attempts.setAside(id, fatal);
  const aside = await until(id, ({ state }) => state === 'set_aside');
  assert.ok(aside.error?.includes(`twice while it read ${fatal}.`), String(aside.error));
  await call('adminRefreshIndexSource', { source: id });
  assert.equal((await until(id, isReady)).error, null);
  assert.equal((await sources()).find((one) => one.id === id)?.outcome?.['unchanged'], 1);
});

test('progress is visible, and a source that is removed is no longer read', async (t) => {
  const gate = openGate();
  const site = await startSite(t, {
    '/': `${page('Herons.')}<a href="/slow">slow</a>`,
    '/slow': gate.script,
  });
  const { call, until, sources } = await open(t, { allowHosts: [site.host] });
  const body = { location: site.url, depth: 1, pages_max: 50 };
  const { id } = jsonOf<IndexSource>(await call('adminAddIndexSource', { body, status: 201 }));
  await gate.reached;
  const running = await until(id, ({ progress }) => progress !== null && progress.done > 0);
  assert.deepEqual(
    [running.kind, running.location, running.state, running.documents, running.next_refresh_at],
    ['web', `${site.url}/`, 'running', 1, null],
  );
  assert.deepEqual(running.progress, { done: 1, total: 2, failed: 0 });
  // Asked again while it runs: nothing is begun anew.
  await call('adminRefreshIndexSource', { source: id });
  const { documents_removed: count } = jsonOf<{ readonly documents_removed: number }>(
    await call('adminRemoveIndexSource', { source: id }),
  );
  assert.equal(count, 1);
  gate.open();
  assert.ok((await sources()).every((source) => source.id !== id));
  assert.equal(site.requests.filter(({ path }) => path === '/slow').length, 1);
});

test('what cannot be added says what is wrong with it', async (t) => {
  const { call } = await open(t);
  const folder = await openFolder(t, { 'a.md': 'x' });
  const cases: readonly (readonly [
    body: Readonly<Record<string, unknown>>,
    param: string,
    message: RegExp,
  ])[] = [
    [{ location: '' }, 'location', /1 to 4096/],
    [{ location: 'handbook' }, 'location', /absolute path/],
    [{ location: join(folder, 'a.md') }, 'location', /absolute path of a folder/],
    [{ location: join(folder, 'nowhere') }, 'location', /absolute path of a folder/],
    [{ location: `${folder}\0` }, 'location', /absolute path of a folder/],
    [{ location: 'ftp://example.com/' }, 'location', /Only http/],
    [{ location: 'https://user:secret@example.com/' }, 'location', /no address that can be fetched/],
    [{ location: folder, hosts: ['example.com'] }, 'hosts', /belongs to addresses/],
    [{ location: folder, pages_max: 5 }, 'pages_max', /belongs to addresses/],
    [{ location: folder, depth: -1 }, 'depth', /whole number from 0 to 100/],
    [{ location: folder, depth: 1.5 }, 'depth', /whole number/],
    [{ location: folder, include: 'x' }, 'include', /list of at most 100/],
    [{ location: folder, include: [''] }, 'include.0', /texts of 1 to 1000/],
    [{ location: folder, include: ['+(a|b)'] }, 'include', /patterns of \*, \*\*/],
    [{ location: folder, exclude: ['{a,b}'.repeat(9)] }, 'exclude', /at most 100/],
    [{ location: folder, every: '0m' }, 'every', /such as 30m/],
    [{ location: folder, every: 'often' }, 'every', /such as 30m/],
    [{ location: folder, every: 'very often' }, 'every', /such as 30m/],
    [{ location: folder, kind: 'web' }, 'kind', /^Unknown field "kind"$/],
  ];
  for (const [body, param, message] of cases) {
    const received = await call('adminAddIndexSource', { body, status: 400 });
    assert.match(errorOf(received).message, message, JSON.stringify(body));
    assert.equal(errorOf(received).param, param, JSON.stringify(body));
    assert.ok(!received.text.includes('secret'));
  }
});

test('an address inside the network is not fetched: the source fails by its page, and nothing is sent', async (t) => {
  const site = await startSite(t, { '/': page('A page that is nobody else\u2019s.') });
  const { call, until, search } = await open(t);
  for (const depth of [0, 1]) {
    const body = { location: site.url, depth };
    const { id } = jsonOf<IndexSource>(
      await call('adminAddIndexSource', { body, status: depth === 0 ? 201 : 200 }),
    );
    const read = await until(id, isReady);
    assert.deepEqual([read.documents, read.outcome?.['failed']], [0, 1]);
  }
  assert.deepEqual(site.requests, []);
  assert.ok((await search('page')).every((url) => !url.startsWith(site.url)));
});

test("Nestor's own pages are listed and left alone, and what is not there is 404", async (t) => {
  const { call, sources } = await open(t, { withDocs: true });
  const own = async () => (await sources()).find(({ kind }) => kind === 'docs');
  const docs = await poll(own, (found) => found !== undefined);
  for (const id of ['adminRefreshIndexSource', 'adminRemoveIndexSource']) {
    const refused = await call(id, { source: docs?.id ?? '', status: 409 });
    assert.match(errorOf(refused).message, /looked after by the server/);
    for (const source of ['000000000000', encodeURIComponent(docs?.location ?? '')])
      assert.equal(errorOf(await call(id, { source, status: 404 })).message, 'source not found');
  }
});

test('a folder that went away fails by name, keeps its documents, and is read when it is back', async (t) => {
  const { call, until } = await open(t);
  const folder = await openFolder(t, { 'a.md': 'One document.' });
  const added = await call('adminAddIndexSource', { body: { location: folder }, status: 201 });
  const { id } = jsonOf<IndexSource>(added);
  await until(id, isReady);
  await rm(folder, { recursive: true });
  await call('adminRefreshIndexSource', { source: id });
  const failed = await until(id, ({ state }) => state === 'failed');
  assert.deepEqual(
    [failed.error, failed.documents, failed.next_refresh_at],
    ['The folder cannot be read.', 1, null],
  );
  await mkdir(folder);
  await writeFile(join(folder, 'b.md'), 'Another document.');
  await call('adminRefreshIndexSource', { source: id });
  const back = await until(id, isReady);
  assert.deepEqual([back.error, back.documents, back.outcome?.['removed']], [null, 1, 1]);
});

suite('the index on SQLite', () => {
  storeTests('SQLite', () => Promise.resolve({}));
});

// The queries of the index are asked on both databases in every run, by test/storage.
if (isLongRun)
  suite('the index on PostgreSQL', { skip: postgresSkipReason() }, () => {
    let postgres: SharedPostgres;
    before(async () => {
      postgres = await sharePostgres();
    });
    after(() => postgres.close());
    storeTests('PostgreSQL', async () => ({ NESTOR_DATABASE_URL: await postgres.createStore() }));
  });
