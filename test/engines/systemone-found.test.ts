import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { findServers } from '../../src/features/decisions/engines/systemone/find-servers.ts';
import { startServer } from '../support/server.ts';
import { startUpstream, type UpstreamHandler, type UpstreamReply } from '../support/upstream.ts';
import { settle, until } from '../support/until.ts';

const never = new AbortController().signal;
const listing = (...ids: readonly string[]) => ({
  json: { object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 1, owned_by: 'x' })) },
});
const missing = { status: 404, json: { error: 'not found' } };
const answer = {
  json: {
    model: 'kev',
    answers: { q0: { type: 'noul', noul: 0.9 } },
    usage: { input_tokens: 9, output_tokens: 1 },
  },
};

/** As Ollama: what a model can do by its name, and no question is expected. */
const ollama =
  (capabilities: Readonly<Record<string, readonly string[]>>): UpstreamHandler =>
  ({ path, body }) => {
    if (path === '/v1/models') return listing(...Object.keys(capabilities));
    if (path !== '/api/show') return missing;
    return { json: { capabilities: capabilities[(body as { model: string }).model] ?? [] } };
  };
/** As llama.cpp, which has one model and says of it that it completes. */
const llamaServer =
  (reply: UpstreamReply, ...ids: readonly string[]): UpstreamHandler =>
  ({ path }) => {
    if (path === '/v1/models') return listing(...ids);
    if (path === '/api/show') return { json: { capabilities: ['completion'] } };
    return path === '/v1/systemone' ? reply : missing;
  };

const addressOf = async (t: TestContext, handler: UpstreamHandler) => {
  const { url, requests } = await startUpstream(t, handler);
  return { url, paths: () => requests.map(({ path }) => path) };
};

suite('decision servers that nobody configured', () => {
  test('Ollama is found by the capability of a model, which is not asked', async (t) => {
    const one = await addressOf(
      t,
      ollama({ 'qwen3:8b': ['completion', 'tools'], 'nimble:latest': ['decision'] }),
    );
    assert.deepEqual(await findServers([one.url], never), [{ url: one.url, model: 'nimble:latest' }]);
    assert.deepEqual(one.paths(), ['/v1/models', '/api/show', '/api/show']);
    const other = await addressOf(t, ollama({ 'qwen3:8b': ['completion'], 'phi4:latest': ['completion'] }));
    assert.deepEqual(await findServers([other.url], never), []);
    assert.ok(!other.paths().includes('/v1/systemone'));
  });

  test('llama.cpp is found by an answer of its one model', async (t) => {
    const one = await addressOf(t, llamaServer(answer, 'kev.gguf'));
    const text = await addressOf(
      t,
      llamaServer({ status: 501, json: { error: 'no decision model' } }, 'm.gguf'),
    );
    const strange = await addressOf(
      t,
      llamaServer({ json: { answers: { q0: { type: 'noul', noul: 7 } } } }, 'm'),
    );
    const several = await addressOf(t, llamaServer(answer, 'a.gguf', 'b.gguf'));
    const addresses = [one, text, strange, several].map(({ url }) => url);
    assert.deepEqual(await findServers(addresses, never), [{ url: one.url, model: 'kev.gguf' }]);
    assert.ok(!several.paths().includes('/v1/systemone'));
  });

  test('nobody and another service are no servers, and one that hangs is left', async (t) => {
    const page = await addressOf(t, () => ({ json: { hello: 'world' } }));
    const noise = await addressOf(t, () => ({ fault: 'noise' }));
    assert.deepEqual(await findServers(['http://127.0.0.1:1', page.url, noise.url], never), []);
    const leaving = new AbortController();
    const hanging = await addressOf(t, () => {
      leaving.abort();
      return { fault: 'hang' };
    });
    assert.deepEqual(await findServers([hanging.url], leaving.signal), []);
  });

  test('the log says how to decide with it, and answers stay those of the embedded engine', async (t) => {
    const { url, paths } = await addressOf(t, ollama({ 'nimble:latest': ['decision'] }));
    const localServers = [{ name: 'ollama', port: Number(new URL(url).port) }];
    const start = (env: Readonly<Record<string, string>>) =>
      startServer(t, { localServers, env: { NESTOR_DETECT: 'true', ...env } });
    const linesOf = ({ log }: { log: readonly { msg?: unknown }[] }) =>
      log.flatMap(({ msg }) => (typeof msg === 'string' && msg.startsWith('decisions: found') ? [msg] : []));
    const server = await start({ NESTOR_DECISIONS_ENGINE: 'auto' });
    await until(() => linesOf(server).length > 0);
    assert.match(
      linesOf(server)[0] ?? '',
      /"nimble:latest" at .*decisions\.engine to systemone and decisions\.upstreams to \[\{ url: /,
    );
    const { headers } = await fetch(`${server.url}/v1/decisions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'svc-decider-v1-27b',
        state: 'test',
        questions: { q: { type: 'noul', instructions: 'Is this a test?' } },
      }),
    });
    assert.equal(headers.get('x-nestor-engine'), 'words');
    // Providers of models look at the list as well.
    const shown = () => paths().filter((path) => path === '/api/show').length;
    assert.equal(shown(), 1);
    await start({ NESTOR_DECISIONS_ENGINE: 'words' });
    await start({ NESTOR_DECISIONS_ENGINE: 'auto', NESTOR_DETECT: 'false' });
    await settle();
    assert.equal(shown(), 1);
  });
});
