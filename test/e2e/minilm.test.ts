import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { openOnnxEngine } from '../../src/features/embeddings/engines/onnx/index.ts';
import { rerank } from '../../src/features/search/rank.ts';
import { startServer } from '../support/server.ts';
import { poll } from '../support/until.ts';
import { startUpstream } from '../support/upstream.ts';
import { hit } from '../support/upstream-search.ts';
import { miniLm, miniLmFile, readReferences, skipsMiniLmFile, skipsWeights } from '../support/weights.ts';

suite('all-MiniLM-L6-v2 through a whole server', { skip: skipsWeights }, () => {
  const readVectors = async (t: TestContext, path: string, engine: string) => {
    const env = { NESTOR_EMBEDDINGS_PATH: path, NESTOR_DECISIONS_THREADS: '1' };
    const server = await startServer(t, { env });
    const references = (await readReferences()).filter((_, index) => index % 5 === 0);
    const response = await server.post('/v1/embeddings', {
      model: 'svc-embed-v1-0.6b',
      input: references.map(({ text }) => text),
    });
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get('x-nestor-engine'), engine);
    const { data, usage } = (await response.json()) as {
      readonly data: readonly { readonly embedding: string }[];
      readonly usage: { readonly prompt_tokens: number };
    };
    assert.equal(
      usage.prompt_tokens,
      references.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    for (const [index, { text, vector }] of references.entries()) {
      const told = new Int8Array(Buffer.from(data[index]?.embedding ?? '', 'base64'));
      const product = vector.reduce((sum, value, at) => sum + value * (told[at] ?? 0), 0);
      assert.ok(product / Math.hypot(...told) > 0.999, `${text}: ${product / Math.hypot(...told)}`);
    }
  };

  test('the vectors of /v1/embeddings are those of Python, as far as 8 bits keep them', (t) =>
    readVectors(t, miniLm('float32'), 'onnx'));

  test('and so they are of the same model as a GGUF file', { skip: skipsMiniLmFile }, (t) =>
    readVectors(t, miniLmFile, 'local'),
  );

  test('/search orders what two engines found by its vectors, and by others where others embed', async (t) => {
    const path = miniLm('int8');
    const query = 'When does a new bank card arrive?';
    const fitting = 'Visa and Mastercard are posted within five working days';
    const contents = [
      'When does a new bank of moss arrive?',
      'Glaciers',
      'Chess',
      fitting,
      'Tides',
      'Opera',
      'Bread',
      'Rust',
    ];
    const results = contents.map((content, index) => ({
      url: `https://hits.invalid/${index}`,
      title: `Page ${index}`,
      content,
    }));
    const upstream = await startUpstream(t, () => ({ json: { query, results } }));
    const engine = { type: 'searxng', url: upstream.url };
    const search = { engines: [engine, { ...engine, url: `${upstream.url}/other` }], cache_s: 0 };
    const orderOf = async (server: Awaited<ReturnType<typeof startServer>>) => {
      const response = await server.post('/search', { query, max_results: 8 });
      assert.equal(response.status, 200, await response.clone().text());
      const found = (await response.json()) as { readonly results: readonly { readonly url: string }[] };
      return found.results.map(({ url }) => url);
    };

    const own = await openOnnxEngine({ path, dataFolder: '.' });
    t.after(() => own.close());
    const hits = results.map(({ url, title, content }) => hit(url, { title, snippet: content }));
    const caller = { signal: new AbortController().signal, account: 'a' };
    const ranked = await rerank(query, hits, (texts, signal) => own.embed(texts, 1024, signal), caller);
    const expected = ranked.map(({ url }) => url);
    assert.ok(expected.indexOf('https://hits.invalid/3') < 3, expected.join());

    const server = await startServer(t, {
      config: JSON.stringify({ search, embeddings: { path } }),
    });
    // A search does not wait for vectors on a busy machine: it gives the order of the engines, and the next one is asked.
    await poll(
      () => orderOf(server),
      (order) => order.join() === expected.join(),
      'a search is not ordered by the vectors',
    );
    const byWords = await startServer(t, { config: JSON.stringify({ search }) });
    assert.notDeepEqual(await orderOf(byWords), expected);
  });
});
