import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startAgent, turns } from '../support/agent.ts';
import { openMadeStore } from '../support/made-store.ts';
import { call, finish, says, scriptedModels, text } from '../support/models.ts';
import { scriptedRunner } from '../support/tools.ts';

suite('a file that a run shares', () => {
  test('is read on every process of the store while the run goes on, and once it is over', async (t) => {
    const database = await openMadeStore();
    const read = Promise.withResolvers<void>();
    const script = turns(
      says(call('c', 'sandbox', '{"code":"1"}'), finish('tool-calls')),
      async function* () {
        await read.promise;
        yield [text('Done.')];
        yield finish();
      },
    );
    const sandbox = scriptedRunner({
      files: [
        { path: 'share/a.csv', bytes: Buffer.from('a,b') },
        { path: 'share/b.csv', bytes: Buffer.from('c,d') },
      ],
    });
    const options = { models: scriptedModels({ 'lab/a': script }), tools: { sandbox }, database };
    const agent = await startAgent(t, options);
    const other = await startAgent(t, options);
    t.after(() => database.close());
    const body = { input: 'x', model: 'lab/a', tools: [{ type: 'sandbox' }], stream: true };
    const { body: stream } = await agent.send('POST', '/v1/agent', body);
    const bytesAt = async (path: string) => {
      const response = await other.send('GET', path);
      assert.equal(response.status, 200, await response.clone().text());
      return response.text();
    };
    let wire = '';
    let paths: string[] = [];
    for await (const piece of stream?.pipeThrough(new TextDecoderStream()) ?? []) {
      wire += piece;
      if (paths.length > 0) continue;
      paths = [...wire.matchAll(/"url":"([^"]+content)"/g)].map(([, url = '']) => new URL(url).pathname);
      if (paths.length === 0) continue;
      paths = [...new Set(paths)];
      assert.deepEqual(await Promise.all(paths.map(bytesAt)), ['a,b', 'c,d'].slice(0, paths.length));
      read.resolve();
    }
    assert.match(wire, /response\.completed/);
    for (const path of paths) await bytesAt(path);
    const list = paths[0]?.replace(/\/[^/]+\/content$/, '') ?? '';
    const { data } = JSON.parse(await bytesAt(list)) as { data: { filename: string }[] };
    assert.deepEqual(
      data.map(({ filename }) => filename),
      ['a.csv', 'b.csv'],
    );
    assert.deepEqual([agent.errors, other.errors], [[], []]);
  });
});
