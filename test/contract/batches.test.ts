import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { Batch, lineMax } from '../../src/features/decisions/wire/batches/schema.ts';
import { startServer, type TestServer, type TestServerOptions } from '../support/server.ts';
import { assertMatches } from '../support/strict.ts';
import { poll } from '../support/until.ts';
import { createBatches, resultsOf, untilOver, type Uploaded } from '../support/batches.ts';

const adminKey = 'admin-key-0123456789';
const otherKey = 'sk-another-account-0123456789';
const model = 'svc-decider-v1-27b';
const questions = { late: { type: 'noul', instructions: 'Is it late?' } };

const start = (t: TestContext, options: TestServerOptions = {}): Promise<TestServer> =>
  startServer(t, {
    ...options,
    env: { NESTOR_ADMIN_KEY: adminKey, NESTOR_RATE_LIMITS_ENABLED: 'false', ...options.env },
    config: JSON.stringify({
      keys: [{ key: otherKey, account: 'other' }],
      decisions: { engine: 'words', deciders: [{ name: 'house', engine: 'words', abstain: 0.99 }] },
    }),
  });

const messageOf = ({ body }: Uploaded) => (body['error'] as { readonly message: string }).message;
const linesOf = (text: string) =>
  text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore

suite('batches of decisions', () => {
  test('every row is answered as it is alone, in the order of the lines, and billed once', async (t) => {
    const server = await start(t);
    const batches = createBatches(server);
    const rows = [
      { id: 'a', state: 'The parcel is three weeks late', examples: [{ state: 'x' }] },
      { custom_id: 'b', state: { text: 'All is well' } },
      { state: 'x', questions: { kind: { type: 'choice', criteria: { parcel: null, letter: null } } } },
    ];
    const made = await batches.upload(
      { model, questions },
      rows.map((row) => JSON.stringify(row)).join('\n'),
    );
    assert.equal(made.status, 201);
    assertMatches(Batch, made.body, 'a new batch');
    const over = await untilOver(batches, made.id);
    assertMatches(Batch, over, 'an ended batch');
    assert.deepEqual(
      [over['status'], over['rows']],
      ['completed', { total: 3, answered: 3, failed: 0, left: 0 }],
    );
    const results = linesOf((await resultsOf(batches, made.id)).text);
    for (const [at, row] of rows.entries()) {
      const { id, custom_id, examples: _, ...asked } = row as Record<string, unknown>;
      const alone = await server.post('/v1/decisions', { model, questions, ...asked });
      const { answers, usage } = (await alone.json()) as Record<string, unknown>;
      const names = {
        ...(id === undefined ? {} : { id }),
        ...(custom_id === undefined ? {} : { custom_id }),
      };
      assert.deepEqual(results[at], { line: at + 1, ...names, answers, usage });
    }
    const account = await batches.call('GET', '/v1/account/usage/totals?by=operation');
    const totals = account.body['data'] as readonly Record<string, unknown>[];
    const own = totals.find(({ operation }) => operation === 'createDecisionBatch');
    const usage = over['usage'] as Record<string, number>;
    assert.deepEqual([own?.['requests'], own?.['input_tokens']], [3, usage['input_tokens']]);
  });

  test('a named decider answers with its policy', async (t) => {
    const batches = createBatches(await start(t));
    const { id } = await batches.upload({ model: 'house', questions }, '{"state":"perhaps"}');
    await untilOver(batches, id);
    const [result] = linesOf((await resultsOf(batches, id)).text);
    const answers = result?.['answers'] as Readonly<Record<string, Record<string, unknown>>> | undefined;
    const late = answers?.['late'];
    assert.deepEqual([late?.['abstained'], late?.['decided_by']], [true, 'house']);
  });

  test('what is no row is refused with its line, and nothing is kept', async (t) => {
    const batches = createBatches(await start(t));
    const good = '{"state":"x"}';
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['not JSON', `${good}\n\n{"state":`, /^line 3: Request body is not valid JSON$/],
      ['no object', `${good}\n[]`, /^line 2: Request body must be a JSON object$/],
      ['no state', `${good}\n{"id":"a"}`, /^line 2: state must be a string, object or array$/],
      ['another type', '{"state":5}', /^line 1: state must be a string, object or array$/],
      ['a bad name', '{"state":"x","id":{}}', /^line 1: id must be a string/],
      [
        'a name twice',
        `{"id":"a","state":"x"}\n${good}\n{"id":"a","state":"y"}`,
        /^line 3: id "a" stands in line 1 already$/,
      ],
      [
        'a custom_id twice',
        '{"custom_id":7,"state":"x"}\n{"custom_id":7,"state":"y"}',
        /^line 2: custom_id 7 stands in line 1 already$/,
      ],
      [
        'a bad question',
        '{"state":"x","questions":{"q":{"type":"maybe"}}}',
        /^line 1: Question type must be/,
      ],
      ['no rows', ' \n\n', /^The file has no rows$/],
    ];
    for (const [about, text, message] of cases) {
      const received = await batches.upload({ model, questions }, text);
      assert.equal(received.status, 400, about);
      assert.match(messageOf(received), message, about);
    }
    const bare = await batches.upload({ model }, good);
    assert.match(messageOf(bare), /^line 1: questions are missing/);
    const unknown = await batches.upload({ model: 'nobody', questions }, good);
    assert.match(messageOf(unknown), /^Invalid model 'nobody'/);
    const broken = await batches.upload({ model, questions: '{' }, good);
    assert.equal(messageOf(broken), 'questions is not valid JSON');
    const { body } = await batches.call('GET', '/v1/decisions/batches');
    assert.deepEqual(body['data'], []);
    const account = await batches.call('GET', '/v1/account');
    assert.equal(account.body['stored_bytes'], 0);
  });

  test('a row that cannot be answered has an error, is not billed and stops no other', async (t) => {
    const batches = createBatches(await start(t));
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const rows = [{ state: 'x' }, { id: 7, state: [image] }, { state: 'y' }];
    const { id } = await batches.upload(
      { model, questions },
      rows.map((row) => JSON.stringify(row)).join('\n'),
    );
    const over = await untilOver(batches, id);
    assert.deepEqual(over['rows'], { total: 3, answered: 2, failed: 1, left: 0 });
    const results = linesOf((await resultsOf(batches, id)).text);
    const error = results[1]?.['error'] as Record<string, unknown>;
    assert.deepEqual([results[1]?.['line'], results[1]?.['id'], error['type']], [2, 7, 'invalid_request']);
    assert.match(String(error['message']), /not a supported data URL/);
  });

  test('results go on after any line, and as many as are asked for', async (t) => {
    const batches = createBatches(await start(t));
    const text = Array.from({ length: 600 }, (_, at) => `{"state":"row ${at}"}${at % 100 === 0 ? '\n' : ''}`);
    const { id } = await batches.upload({ model, questions }, text.join('\n'));
    await untilOver(batches, id);
    const whole = linesOf((await resultsOf(batches, id)).text);
    assert.equal(whole.length, 600);
    const numbers = whole.map((one) => one['line'] as number);
    for (const after of [0, 1, 2, 255, 256, 257, 600, 605, 606, 10_000, lineMax]) {
      const rest = linesOf((await resultsOf(batches, id, `?after=${after}`)).text);
      assert.deepEqual(rest, whole.filter((_, at) => (numbers[at] ?? 0) > after), String(after)); // prettier-ignore
      const some = linesOf((await resultsOf(batches, id, `?after=${after}&limit=3`)).text);
      assert.deepEqual(some, rest.slice(0, 3));
    }
    for (const query of ['?limit=0', `?after=${lineMax + 1}`])
      assert.equal((await resultsOf(batches, id, query)).status, 400);
  });

  test('names are their own by field and type, and may be missing; integers keep every digit', async (t) => {
    const batches = createBatches(await start(t));
    const names = ['"id":"1"', '"id":1', '"custom_id":1', '"id":null', '"id":null'];
    const large = ['9007199254740993', '9007199254740992'];
    const rows = [...names, ...large.map((id) => `"id":${id}`)].map((name) => `{${name},"state":"x"}`);
    const level = '{"type":"score","criteria":[{"at":9007199254740993},{"at":9007199254740995}]}';
    const form = new FormData();
    form.set('model', model);
    form.set('questions', `{"level":${level}}`);
    form.set('file', new Blob([rows.join('\n')]), 'rows.jsonl');
    const made = await batches.send(form);
    assert.equal(made.status, 201);
    await untilOver(batches, made.id);
    const { text } = await resultsOf(batches, made.id);
    for (const id of large) assert.ok(text.includes(`"id":${id},`), id);
    assert.equal(text.split('"legend":{"0":{"at":9007199254740993},"1":{"at":9007199254740995}}').length, 8);
  });

  test('a batch is nobody else’s', async (t) => {
    const server = await start(t);
    const batches = createBatches(server);
    const { id } = await batches.upload({ model, questions }, '{"state":"x"}');
    const other = createBatches({ url: server.url, key: otherKey });
    const path = `/v1/decisions/batches/${id}`;
    for (const [method, way] of [
      ['GET', path],
      ['GET', `${path}/results`],
      ['POST', `${path}/cancel`],
      ['DELETE', path],
    ] as const)
      assert.equal((await other.call(method, way)).status, 404, way);
    assert.deepEqual((await other.call('GET', '/v1/decisions/batches')).body['data'], []);
    await untilOver(batches, id);
  });

  test('what is cancelled is answered no further, and what is deleted is gone with its bytes', async (t) => {
    const batches = createBatches(await start(t));
    const text = Array.from({ length: 20_000 }, (_, at) => `{"state":"row ${at}"}`).join('\n');
    const { id } = await batches.upload({ model, questions }, text);
    await poll(
      () => batches.find(id),
      ({ rows }) => (rows as { answered: number }).answered > 0,
    );
    const cancelled = await batches.call('POST', `/v1/decisions/batches/${id}/cancel`);
    assert.equal(cancelled.body['status'], 'cancelled');
    const { answered } = cancelled.body['rows'] as { answered: number };
    assert.ok(answered < 20_000);
    assert.equal(linesOf((await resultsOf(batches, id)).text).length, answered);
    assert.equal((await batches.call('POST', `/v1/decisions/batches/${id}/cancel`)).status, 409);
    assert.equal((await batches.call('DELETE', `/v1/decisions/batches/${id}`)).status, 204);
    assert.equal((await batches.call('DELETE', `/v1/decisions/batches/${id}`)).status, 404);
    await poll(
      () => batches.call('GET', '/v1/account'),
      ({ body }) => body['stored_bytes'] === 0,
    );
  });

  test('an upload for which there is no room is refused, and a batch waits for room for its results', async (t) => {
    const server = await start(t, { env: { NESTOR_ACCOUNTS_STORAGE_MB: '1' } });
    const batches = createBatches(server);
    const long = (letters: number) => JSON.stringify({ state: 'x'.repeat(letters) });
    const refused = await batches.upload({ model, questions }, [long(700_000), long(700_000)].join('\n'));
    assert.equal(refused.status, 413);
    const account = await batches.call('GET', '/v1/account');
    assert.equal(account.body['stored_bytes'], 0);
    const options = Array.from({ length: 24 }, (_, at) => [`an option with the number ${at}`, null] as const);
    const kind = { type: 'choice', criteria: Object.fromEntries(options) };
    const rows = Array.from({ length: 600 }, (_, at) => `{"state":"row ${at}"}`).join('\n');
    const first = await batches.upload({ model, questions: { kind } }, rows);
    await untilOver(batches, first.id);
    const second = await batches.upload({ model, questions: { kind } }, rows);
    await poll(
      () => batches.find(second.id),
      (batch) => batch['waiting_for'] === 'storage',
    );
    await batches.call('DELETE', `/v1/decisions/batches/${first.id}`);
    const over = await untilOver(batches, second.id);
    assert.deepEqual(over['rows'], { total: 600, answered: 600, failed: 0, left: 0 });
  });

  test('an operator makes a batch of a file in the data folder, and of no other', async (t) => {
    const server = await start(t);
    const admin = createBatches({ url: server.url, key: adminKey });
    const batches = createBatches(server);
    const accounts = await admin.call('GET', '/admin/v1/accounts');
    const all = accounts.body['data'] as readonly { readonly id: string }[];
    const accountId = all.find(({ id }) => id !== 'other')?.id;
    await mkdir(join(server.data, 'in'));
    await writeFile(join(server.data, 'in', 'rows.jsonl'), '{"state":"x"}\n{"state":"y"}\n');
    await symlink('/etc/hostname', join(server.data, 'in', 'link.jsonl'));
    const ask = (file: string) =>
      admin.call('POST', '/admin/v1/decisions/batches', { account_id: accountId, file, model, questions });
    const made = await ask('in/rows.jsonl');
    assert.deepEqual([made.status, made.body['name']], [201, 'rows.jsonl']);
    await untilOver(batches, String(made.body['id']));
    for (const file of [
      '../x',
      '/etc/hostname',
      'in/link.jsonl',
      'in/../../x',
      'in',
      'none',
      'in/rows.jsonl\0',
    ]) {
      const received = await ask(file);
      assert.deepEqual([received.status, messageOf({ ...received, id: '' })], [400, 'file must be the path of a file in the data folder'], file); // prettier-ignore
    }
    const asCaller = await batches.call('POST', '/admin/v1/decisions/batches', {});
    assert.equal(asCaller.status, 401);
  });
});
