import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { createBatches } from '../support/batches.ts';
import { model } from '../support/examples.ts';
import { settings } from '../support/settings.ts';
import { queueExamples } from '../support/queues.ts';
import { rootKey, startServer } from '../support/server.ts';
import { skillZip } from '../support/zip.ts';
import { toCurl } from './reference/example.ts';
import { makePages, referenceFolder } from './reference/pages.ts';
import { toFields, toPhrase, type Reading, type Schema } from './reference/schema.ts';
import { describeOperations } from './reference/source.ts';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const pages = await makePages();
const operations = describeOperations();

test('the pages are what the server publishes; `npm run docs:reference` writes them', async () => {
  const committed = (await readdir(referenceFolder)).toSorted();
  assert.deepEqual(committed, [...pages.keys()].toSorted());
  for (const [name, text] of pages) {
    const shown = await readFile(new URL(name, referenceFolder), 'utf8');
    assert.ok(shown === text, `docs/reference/${name} is not up to date: npm run docs:reference`);
  }
});

test('every operation has its section, with all of its paths', () => {
  for (const { group, method, path, aliases } of operations) {
    const page = pages.get(`${group}.md`) ?? '';
    assert.ok(page.includes(`\n## ${method} ${path}\n`), `${method} ${path}`);
    // The lines of a page are broken at spaces.
    const text = page.replaceAll(/\s+/g, ' ');
    for (const alias of aliases) assert.ok(text.includes(`\`${method} ${alias}\``), `${method} ${alias}`);
  }
});

suite('the notes of streams name what the code sends, and nothing else', () => {
  /** Words that stand in a table's first column below a heading. */
  function namesBelow(page: string, heading: string): string[] {
    const text = pages.get(page) ?? '';
    const section = text.slice(text.indexOf(`\n## ${heading}\n`)).split('\n## ')[1] ?? '';
    return [...section.matchAll(/^\| `(?<name>[a-z._]+)`/gm)].map(({ groups }) => groups?.['name'] ?? '');
  }
  const sourceOf = async (folder: string) =>
    Promise.all(
      globSync(`src/features/${folder}/*.ts`, { cwd: root, exclude: ['**/*.test.ts'] }).map((path) =>
        readFile(new URL(path, root), 'utf8'),
      ),
    ).then((texts) => texts.join('\n'));
  const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

  test('of the agent', async () => {
    const source = await sourceOf('agent/wire');
    const sent = new Set([...all(source, /'(response\.[a-z_.]+)'/g), ...settings.tools.eventNames]);
    assert.deepEqual(namesBelow('agent.md', 'Events').toSorted(), [...sent].toSorted());
  });

  test('of chat', async () => {
    const sent = new Set(all(await sourceOf('chat/wire/chat'), /'(chat\.[a-z.]+)'/g));
    assert.deepEqual([...new Set(namesBelow('chat.md', 'Streams'))].toSorted(), [...sent].toSorted());
  });

  test('of Messages', async () => {
    const source = await sourceOf('router/wire/messages');
    const sent = new Set(all(source, /(?:event: |#emit\(\s*)'([a-z_]+)'/g));
    assert.deepEqual(namesBelow('router.md', 'Events of Messages').toSorted(), [...sent].toSorted());
  });

  test('and the table of items those that are made', () => {
    const text = pages.get('agent.md') ?? '';
    const section = text.slice(text.indexOf('## Output items'), text.indexOf('## Events'));
    const told = new Set(all(section, /`([a-z_]+)`/g));
    const made = [...settings.tools.itemTypes];
    assert.ok(made.length >= 7);
    for (const name of made) assert.ok(told.has(name), name);
  });
});

suite('the examples', async () => {
  const data = await mkdtemp(join(tmpdir(), 'nestor-reference-'));
  after(() => rm(data, { recursive: true, force: true }));
  await writeFile(join(data, 'skill.zip'), skillZip());
  const question = { q: { type: 'noul', instructions: 'Is it late?' } };
  await writeFile(join(data, 'questions.json'), JSON.stringify(question));
  await writeFile(join(data, 'rows.jsonl'), '{"state":"x"}\n');
  const adminKey = 'admin-key-of-the-reference';
  const words = { NESTOR_DECISIONS_ENGINE: 'words', NESTOR_EMBEDDINGS_ENGINE: 'words' };
  const env = { NESTOR_ADMIN_KEY: adminKey, ...words };
  const server = await startServer({ after }, { env, withEncoder: true });
  await mkdir(join(server.data, 'batches'));
  await writeFile(join(server.data, 'batches', 'mails.jsonl'), '{"state":"x"}\n');
  const always = { NESTOR_ROOT_KEY: rootKey, NESTOR_ADMIN_KEY: adminKey, FOLDER: data };
  const skip = ['sh', 'curl'].some((name) => spawnSync(name, ['--help']).error !== undefined)
    ? 'needs sh and curl'
    : false;

  /** Sends a request and tells fields of its answer, as texts. */
  async function made(path: string, body: unknown, ...names: readonly string[]): Promise<string[]> {
    const admin = path.startsWith('/admin') ? { authorization: `Bearer ${adminKey}` } : {};
    const response = await server.post(path, body, admin);
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
    return names.map((name) => String(answer[name]));
  }

  async function makeSkill() {
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(skillZip())]), 'skill.zip');
    const headers = { authorization: `Bearer ${server.key}` };
    const response = await fetch(`${server.url}/v1/skills`, { method: 'POST', headers, body: form });
    const skill = (await response.json()) as { readonly skill_id: string; readonly revision: string };
    const download = await fetch(`${server.url}/v1/skills/${skill.skill_id}/download`, { headers });
    const { download_url: url } = (await download.json()) as { readonly download_url: string };
    const { searchParams } = new URL(url, server.url);
    const [EXPIRES = '', SIGNATURE = ''] = [searchParams.get('expires'), searchParams.get('sig')].map(String);
    return { SKILL_ID: skill.skill_id, REVISION: skill.revision, EXPIRES, SIGNATURE };
  }

  async function makeBatch(): Promise<string> {
    const made = await createBatches(server).upload({ model, questions: question }, '{"state":"x"}');
    return made.id;
  }

  /** With examples. */
  async function makeDecider(DECIDER: string) {
    const place = `/v1/deciders/${DECIDER}`;
    const curve = { rows: 80, points: [[80, 2]], found: null };
    const guarantee = {
      max_error: 0.05,
      confidence: 0.95,
      engine: 'encoder',
      prompt_version: 1,
      thresholds: { by_kind: { noul: null }, by_question: {} },
      curves: { noul: curve },
    };
    const headers = { authorization: `Bearer ${server.key}` };
    const body = JSON.stringify({ engine: 'encoder', guarantees: [guarantee] });
    await fetch(`${server.url}${place}`, { method: 'PUT', headers, body });
    const [ids = ''] = await made(`${place}/examples`, { examples: queueExamples }, 'ids');
    const [EXAMPLE_ID = ''] = ids.split(',');
    return { DECIDER, EXAMPLE_ID };
  }

  /** One for all that learned from examples: a fit costs a second. */
  async function makeLearned() {
    const { DECIDER } = await makeDecider('learned');
    const [FIT_ID = ''] = await made(`/v1/deciders/${DECIDER}/fit`, { wait: true }, 'id');
    return { DECIDER, FIT_ID };
  }
  let learned: ReturnType<typeof makeLearned> | null = null;

  async function fetchKeys(): Promise<Response> {
    await made('/generate_auth_token', {});
    return fetch(`${server.url}/v1/account/keys`, { headers: { authorization: `Bearer ${server.key}` } });
  }

  /** One for all: few may be made in a minute. */
  async function makeJob(): Promise<string> {
    const request = { model: 'svc', messages: [{ role: 'user', content: 'x' }] };
    const [id = ''] = await made('/async/chat/completions', { request }, 'id');
    return id;
  }
  let jobId: Promise<string> | null = null;

  /** What a command takes from variables: things that are there, made anew for each. */
  async function variablesOf(command: string): Promise<Readonly<Record<string, string>>> {
    if (command.includes('$RESPONSE_ID')) {
      const [RESPONSE_ID = ''] = await made('/v1/agent', { model: 'svc/svc', input: 'x' }, 'id');
      return { RESPONSE_ID, FILE_ID: 'file_00000000-0000-4000-8000-000000000000' };
    }
    if (command.includes('$CONVERSATION_ID')) {
      const items = [{ id: 'msg_1', role: 'user', content: 'x' }];
      const [CONVERSATION_ID = ''] = await made('/openai/v1/conversations', { items }, 'id');
      return { CONVERSATION_ID, ITEM_ID: 'msg_1' };
    }
    if (command.includes('$JOB_ID')) {
      return { JOB_ID: await (jobId ??= makeJob()) };
    }
    if (command.includes('$ACCOUNT_ID')) {
      const [ACCOUNT_ID = ''] = await made('/admin/v1/accounts', {}, 'id');
      const [KEY_ID = ''] = await made(`/admin/v1/accounts/${ACCOUNT_ID}/keys`, {}, 'id');
      return { ACCOUNT_ID, KEY_ID };
    }
    if (command.includes('$SOURCE_ID')) {
      const [path, location] = command.includes('/admin/')
        ? ['/admin/v1/index/sources', data]
        : ['/v1/index/sources', 'https://nowhere.invalid/'];
      const [SOURCE_ID = ''] = await made(path, { location }, 'id');
      return { SOURCE_ID };
    }
    if (command.includes('$DOCUMENT_ID')) {
      const [DOCUMENT_ID = ''] = await made('/v1/index/documents', { text: 'A parrot.' }, 'id');
      return { DOCUMENT_ID };
    }
    if (command.includes('$KEY_ID')) {
      const { data: listed } = (await (await fetchKeys()).json()) as {
        readonly data: readonly { id: string }[];
      };
      return { KEY_ID: listed.at(-1)?.id ?? '' };
    }
    if (command.includes('$TOKEN')) {
      const [TOKEN = ''] = await made('/generate_auth_token', {}, 'auth_token');
      return { TOKEN };
    }
    if (command.includes('$RECEIPT_ID')) return { RECEIPT_ID: 'rcpt_of_no_answer' };
    if (command.includes('$BATCH_ID')) return { BATCH_ID: await makeBatch() };
    if (/\$FIT_ID|rollback/.test(command)) return (learned ??= makeLearned());
    if (command.includes('$DECIDER')) return makeDecider('made');
    return command.includes('$SKILL_ID') ? makeSkill() : {};
  }

  /**
   * What an example can only answer with something else: a job, a response or a fit that is over, one that shared no file,
   * a receipt where nothing is verified.
   */
  const refused: Readonly<Record<string, string>> = {
    cancelResponse: '400',
    cancelFit: '409',
    readResponseFile: '404',
    getReceipt: '404',
    retryAccountJob: '200 409',
    cancelAccountJob: '200 409',
    cancelDecisionBatch: '200 409',
    adminRetryJob: '200 409',
    adminCancelJob: '200 409',
  };

  for (const operation of operations) {
    test(`of ${operation.method} ${operation.path} does what it shows`, { skip }, async () => {
      const command = toCurl(operation).replaceAll('http://127.0.0.1:8787', server.url);
      const env = { PATH: process.env['PATH'], ...always, ...(await variablesOf(command)) };
      const told = await run('sh', ['-euc', `${command} -o answer -w '%{http_code}'`], { cwd: data, env });
      const expected = refused[operation.id] ?? Object.keys(operation.responses);
      const answer = await readFile(join(data, 'answer'), 'utf8').catch(() => '');
      assert.ok(expected.includes(told.stdout), `${told.stdout}: ${command}\n${answer}`);
    });
  }
});

suite('a schema in words', () => {
  const reading: Reading = {
    side: 'request',
    linkTo: ({ title }) => (title === undefined ? null : `[\`${title}\`](#${title})`),
  };
  const phrase = (schema: Schema) => toPhrase(schema, reading);

  test('tells types with their bounds', () => {
    assert.equal(phrase({ type: 'integer', minimum: 1, maximum: 10 }), 'integer 1 to 10');
    assert.equal(phrase({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), 'integer from 1');
    assert.equal(phrase({ type: 'string', minLength: 1 }), 'non-empty string');
    assert.equal(phrase({ type: 'string', minLength: 1, maxLength: 9 }), 'string of 1 to 9 characters');
    assert.equal(phrase({ type: 'array', items: { type: 'string' }, maxItems: 3 }), 'array of string, at most 3 items'); // prettier-ignore
    assert.equal(phrase({ type: 'object', additionalProperties: { type: 'number' } }), 'map of number');
    assert.equal(phrase({}), 'any JSON value');
  });

  test('joins unions, with null last', () => {
    const words: Schema = { anyOf: [{ const: 'a' }, { const: 'b' }] };
    assert.equal(phrase({ anyOf: [{ type: 'null' }, words] }), '`"a"`, `"b"` or null');
    assert.equal(phrase({ anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }), '`"a"`, `"b"` or null');
    const list: Schema = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object' }] } };
    assert.equal(phrase(list), 'array of (string or object)');
  });

  test('tells members by their tag, and links to what has a name', () => {
    const one: Schema = { properties: { type: { const: 'x' }, a: { type: 'string' } }, required: ['a'] };
    const two: Schema = { properties: { type: { const: 'y' }, b: { title: 'Bee' } } };
    assert.deepEqual(toFields({ anyOf: [one, two] }, reading), [
      '- With `type` `"x"`:',
      '  - `a` (string, required)',
      '- With `type` `"y"`:',
      '  - `b` ([`Bee`](#Bee))',
    ]);
  });

  test('refuses what cannot be read any more', () => {
    let schema: Schema = { type: 'string' };
    for (let depth = 0; depth < 9; depth++) schema = { type: 'object', properties: { inner: schema } };
    assert.throws(() => toFields(schema, reading), /too deep/);
  });
});
