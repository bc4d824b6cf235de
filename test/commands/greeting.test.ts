import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { greet } from '../../src/features/service/commands/greeting.ts';
import { announceServer } from '../../src/kernel/commands/running-server.ts';
import { rootKey, startServer } from '../support/server.ts';
import { startSite } from '../support/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hangMs } from '../support/until.ts';
import { spawnNestor } from './support.ts';

async function greeted(folder: string, api: { url?: string; key?: string } = {}) {
  let text = '';
  const context = {
    api: { url: undefined, key: undefined, ...api },
    usualFolder: folder,
    version: '0.0.0',
    out: { write: (more: string) => (text += more) },
    signal: new AbortController().signal,
  };
  const code = await greet(context, hangMs);
  assert.equal(code, 0);
  return text;
}

const commandsIn = (text: string) =>
  [...text.matchAll(/^ {2}(nestor \w+|export|http)/gm)].map(([, first]) => first);

suite('nestor alone', () => {
  test('where no server runs it names the three ways to begin, and makes nothing', async (t) => {
    const folder = join(await temporaryFolder(t), 'data');
    const { code, out, err } = await spawnNestor([], { NESTOR_DATA: folder });
    assert.deepEqual([code, err], [0, '']);
    assert.ok(out.includes(`No server runs on ${folder}.`), out);
    assert.deepEqual(commandsIn(out), ['nestor serve', 'nestor demo', 'nestor init']);
    assert.ok(!existsSync(folder));
  });

  test('a server that runs on the data folder is found, with what answers and what to ask', async (t) => {
    const server = await startServer(t);
    const leave = announceServer(server.data, server.url);
    t.after(leave);
    const text = await greeted(server.data, { key: rootKey });
    assert.ok(text.includes(`A server is ready at ${server.url}`), text);
    assert.match(text, /^Decisions: the engine "words"$/m);
    assert.match(text, /^Chat: no model; answers are sentences of the sources$/m);
    assert.deepEqual(commandsIn(text), ['nestor decide', 'nestor ask', 'http']);
    const keyless = await greeted(server.data);
    assert.deepEqual(commandsIn(keyless), ['export', 'nestor decide', 'nestor ask']);
    assert.ok(!text.includes(rootKey));
  });

  test('one that does not say whether it is ready is not called unready', async (t) => {
    const site = await startSite(t, {
      '/': JSON.stringify({ name: 'nestor' }),
      '/readyz': (request) => void request.socket.destroy(),
    });
    const text = await greeted(await temporaryFolder(t), { url: site.url });
    assert.ok(
      text.includes(`A server runs, and did not say in time whether it is ready, at ${site.url}`),
      text,
    );
  });

  test('one that says that it is not ready is told as such', async (t) => {
    const site = await startSite(t, {
      '/': JSON.stringify({ name: 'nestor' }),
      '/readyz': (_request, response) => void response.writeHead(503).end('{}'),
    });
    const text = await greeted(await temporaryFolder(t), { url: site.url });
    assert.ok(text.includes(`A server runs and is not ready (nestor doctor tells why) at ${site.url}`), text);
  });

  test('an address where none answers is told as such', async (t) => {
    const text = await greeted(await temporaryFolder(t), { url: 'http://127.0.0.1:9' });
    assert.match(text, /^http:\/\/127\.0\.0\.1:9 does not answer\./m);
    assert.deepEqual(commandsIn(text), ['nestor serve', 'nestor demo', 'nestor init']);
  });
});
