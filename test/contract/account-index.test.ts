import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { open, sentence, word, type Account } from './account-index.fixture.ts';

const { send, write } = await open({ after });

suite('the index of an account', () => {
  test('a document that was sent is found at once, replaced at its address, read and removed', async () => {
    const [name, first, second] = [word(), word(), word()];
    const id = await write('acme', name, first);
    const find = async () => (await send('acme', 'POST', '/search', { query: name })).text;
    assert.ok((await find()).includes(first));
    assert.equal(await write('acme', name, second), id);
    assert.ok((await find()).includes(second) && !(await find()).includes(first));
    const whole = JSON.parse((await send('acme', 'GET', `/v1/index/documents/${id}`)).text) as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [whole['url'], whole['title'], whole['text'], whole['language']],
      [`https://docs.example/${name}`, name, sentence(name, second), null],
    );
    const listed = await send('acme', 'GET', '/v1/index/documents?limit=1000');
    assert.ok(listed.text.includes(id) && !listed.text.includes(second), 'without its text');
    const sources = await send('acme', 'GET', '/v1/index/sources');
    assert.match(
      sources.text,
      /"kind":"texts","account_id":"acme",.*"state":"ready",.*"visibility":"account"/,
    );
    assert.equal((await send('acme', 'DELETE', `/v1/index/documents/${id}`)).status, 204);
    assert.ok(!(await find()).includes(second));
    assert.equal((await send('acme', 'GET', `/v1/index/documents/${id}`)).status, 404);
  });

  test('an address of its own where none was given; what is no address is refused', async () => {
    const own = await send('acme', 'POST', '/v1/index/documents', { text: `${word()} stands here.` });
    assert.match(own.text, /"url":"nestor:document\/(doc_[\w-]+)","title":"\1"/);
    const headed = await send('acme', 'POST', '/v1/index/documents', {
      text: '# `Holidays` #\n\nThirty days.',
    });
    assert.match(headed.text, /"title":"Holidays"/);
    for (const url of ['file:///etc/passwd', 'x', 'https://a:b@c.example/'])
      assert.equal((await send('acme', 'POST', '/v1/index/documents', { text: 'x', url })).status, 400, url);
    for (const date of ['2024-13-01', '2023-02-29']) {
      const refused = await send('acme', 'POST', '/v1/index/documents', { text: 'x', date });
      assert.deepEqual([refused.status, /day of the calendar/.test(refused.text)], [400, true], date);
    }
    const folder = await send('acme', 'POST', '/v1/index/sources', { location: '/etc' });
    assert.equal(folder.status, 400, folder.text);
    assert.match(folder.text, /address/);
    const named = await send('acme', 'POST', '/v1/index/sources', {
      location: 'https://a.example/',
      account_id: 'other',
    });
    assert.ok(named.status >= 400, 'an account names no other');
  });

  test('sources belong to who added them, and the operator sees all of them', async () => {
    const location = 'https://nowhere.invalid/handbook';
    const add = async (account: Account | 'admin', more: object = {}) => {
      const path = account === 'admin' ? '/admin/v1/index/sources' : '/v1/index/sources';
      const reply = await send(account, 'POST', path, { location, ...more });
      assert.equal(reply.status, 201, reply.text);
      return JSON.parse(reply.text) as { readonly id: string; readonly account_id: string | null };
    };
    const own = await add('acme');
    const others = await add('admin', { account_id: 'other' });
    const shared = await add('admin');
    assert.deepEqual([own.account_id, others.account_id, shared.account_id], ['acme', 'other', null]);
    assert.equal(new Set([own.id, others.id, shared.id]).size, 3);
    const list = async (account: Account) => (await send(account, 'GET', '/v1/index/sources')).text;
    assert.ok((await list('acme')).includes(own.id) && !(await list('acme')).includes(others.id));
    assert.ok((await list('other')).includes(others.id) && !(await list('other')).includes(shared.id));
    const all = (await send('admin', 'GET', '/admin/v1/index/sources')).text;
    for (const { id } of [own, others, shared]) assert.ok(all.includes(id));
    for (const { id } of [others, shared]) {
      assert.equal((await send('acme', 'DELETE', `/v1/index/sources/${id}`)).status, 404);
      assert.equal((await send('acme', 'POST', `/v1/index/sources/${id}/refresh`)).status, 404);
    }
    assert.equal((await send('acme', 'DELETE', `/v1/index/sources/${own.id}`)).status, 200);
    assert.equal((await send('admin', 'DELETE', `/admin/v1/index/sources/${others.id}`)).status, 200);
    const unknown = await send('admin', 'POST', '/admin/v1/index/sources', {
      location,
      account_id: 'nobody',
    });
    assert.equal(unknown.status, 404);
  });

  test('what is beyond the limits of an account is refused, and told', async (t) => {
    const limited = await open(t, { config: { index: { account_documents: 1, account_mb: 1 } } });
    const name = word();
    await limited.write('acme', name, word());
    const more = await limited.send('acme', 'POST', '/v1/index/documents', { text: 'One too many.' });
    assert.equal(more.status, 413);
    assert.match(more.text, /holds at most 1 documents/);
    const long = await limited.send('other', 'POST', '/v1/index/documents', {
      text: 'heron '.repeat(300_000),
    });
    assert.match(long.text, /holds at most 1 MiB of text/);
    assert.match(
      (await limited.send('other', 'GET', '/v1/index')).text,
      /"documents":0,"bytes":0,"documents_max":1/,
    );
    await limited.write('other', name, word());
    const kept = await limited.send('acme', 'GET', '/v1/index/documents');
    assert.equal(
      (JSON.parse(kept.text) as { readonly data: unknown[] }).data.length,
      1,
      'nothing of what was refused',
    );
  });
});
