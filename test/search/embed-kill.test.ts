import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, type TestContext } from 'node:test';

import { openIndexTools } from '../../src/features/index/open-index.ts';
import { defaultOptions, toSource } from '../../src/features/index/source.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { configuration } from '../../src/configuration.ts';
import { spawnServer, type ServerProcess } from '../e2e/server-process.ts';
import { leaveDocsOut } from '../support/made-store.ts';
import { postgresSkipReason, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { isLongRun, longTest } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/until.ts';

const adminKey = 'admin-key-of-a-test-0123456789';
const sourceId = 'birds';
/** As many as are looked at together. */
const documents = 64;

type Variables = Readonly<Record<string, string>>;

interface Opened {
  readonly data: string;
  readonly env: Variables;
}

/** A folder of short pages, read with the engine words by a command. */
async function openRead(t: TestContext, env: Variables): Promise<Opened> {
  const [data, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
  for (let page = 0; page < documents; page++) {
    const text = `# Bird ${page}\n\nIt has wings of ${page} hands, and it is seen in winter.\n`;
    await writeFile(join(folder, `${page}.md`), text);
  }
  const tools = await openTools({ data, env }, 'words');
  const options = JSON.stringify(defaultOptions);
  const source = { id: sourceId, kind: 'folder', location: folder, options, everyMs: null, addedAtMs: 1 } as const; // prettier-ignore
  await tools.refresh(toSource(await tools.sources.ensure(source)), new AbortController().signal, () => {});
  await tools.close();
  await leaveDocsOut(env['NESTOR_DATABASE_URL'] ?? 'sqlite', data);
  return { data, env };
}

const configOf = ({ data, env }: Opened, engine: string) =>
  configuration.load({ env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: engine, ...env }, cwd: data });

const openTools = (opened: Opened, engine: string) => openIndexTools(configOf(opened, engine));

async function start(t: TestContext, { data, env }: Opened): Promise<ServerProcess> {
  const server = await spawnServer(data, {
    NESTOR_ADMIN_KEY: adminKey,
    NESTOR_DETECT: 'false',
    NESTOR_SANDBOX_RUNNER: 'off',
    NESTOR_EMBEDDINGS_ENGINE: 'encoder',
    ...env,
  });
  t.after(() => server.end('SIGKILL'));
  return server;
}

/** How far the server says that it is. */
async function embeddedAt({ url }: ServerProcess): Promise<number> {
  const headers = { authorization: `Bearer ${adminKey}` };
  const reply = await fetch(`${url}/admin/v1/index/sources`, { headers });
  assert.equal(reply.status, 200);
  const { data } = (await reply.json()) as {
    readonly data: readonly { readonly id: string; readonly documents: number; readonly embedded: number }[];
  };
  const source = data.find(({ id }) => id === sourceId);
  assert.equal(source?.documents, documents);
  return source?.embedded ?? 0;
}

interface Stored {
  readonly texts: readonly string[];
  /** Documents whose vectors are of the encoder. */
  readonly embedded: number;
}

/** Bytes that each engine stores of a passage. */
const bytesOf = { words: 256, encoder: 384 } as const;

/** What the store holds; each document is whole, with the vectors of one engine. */
async function readStored(opened: Opened): Promise<Stored> {
  const database = await openDatabase(configOf(opened, 'words').database, { dataFolder: opened.data });
  try {
    const rows = await database.db
      .selectFrom('corpus_documents')
      .select(['id', 'url', 'text_hash', 'embedded_by'])
      .where('source_id', '=', sourceId)
      .orderBy('url')
      .execute();
    const texts: string[] = [];
    for (const { id, url, text_hash: hash, embedded_by: by } of rows) {
      const passages = await database.db
        .selectFrom('corpus_passages')
        .select(['text', 'vector'])
        .where('id', '>=', id * 1_024)
        .where('id', '<', (id + 1) * 1_024)
        .orderBy('id')
        .execute();
      const engine = by === 'words' ? 'words' : 'encoder';
      assert.match(by ?? '', new RegExp(`^${engine}`));
      for (const { vector } of passages) {
        assert.ok(vector !== null && vector.length > 0, url);
        assert.equal(vector.length % bytesOf[engine], 0, `${url}: ${vector.length} of ${String(by)}`);
      }
      texts.push([url, hash, ...passages.map(({ text }) => text)].join('\n'));
    }
    return { texts, embedded: rows.filter(({ embedded_by: by }) => by !== 'words').length };
  } finally {
    await database.close();
  }
}

function killTest(name: string, env: () => Promise<Variables>): void {
  longTest(
    `${name}: kill -9 while an index gets other vectors loses nothing, and the next server goes on`,
    async (t) => {
      const opened = await openRead(t, await env());
      const before = await readStored(opened);
      assert.deepEqual([before.texts.length, before.embedded], [documents, 0]);
      let least = 0;
      for (let kill = 0; kill < 2; kill++) {
        const server = await start(t, opened);
        const told = await poll(
          () => embeddedAt(server),
          (count) => count > least,
        );
        await server.end('SIGKILL');
        assert.ok(told < documents, 'it was killed too late to show anything');
        const stored = await readStored(opened);
        assert.deepEqual(stored.texts, before.texts);
        assert.ok(stored.embedded >= told, `${told} were told, ${stored.embedded} are stored`);
        least = stored.embedded;
      }
      const last = await start(t, opened);
      assert.ok((await embeddedAt(last)) >= least, 'what was done stays done');
      // Document by document: how long all of them take is no matter of this test.
      for (let at = least; at < documents;)
        at = await poll(
          () => embeddedAt(last),
          (count) => count > at,
        );
      await last.end('SIGKILL');
      assert.deepEqual(await readStored(opened), { texts: before.texts, embedded: documents });
      const tools = await openTools(opened, 'encoder');
      assert.equal((await tools.countEmbedded()).get(sourceId), documents);
      await tools.close();
    },
  );
}

suite('an index whose engine of embeddings changed', { concurrency: false }, () => {
  killTest('SQLite', () => Promise.resolve({}));

  if (!isLongRun) return;
  suite('on PostgreSQL', { skip: postgresSkipReason() }, () => {
    let postgres: TestPostgres;
    before(async () => {
      postgres = await startPostgres();
    });
    after(() => postgres.close());
    killTest('PostgreSQL', async () => ({ NESTOR_DATABASE_URL: await postgres.createDatabase() }));
  });
});
