import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openGuardedClient } from '../../src/kernel/kit/guarded-client.ts';
import { openPageReader } from '../../src/features/search/page/open-page-reader.ts';
import { keys, startAgent, turns } from '../support/agent.ts';
import { call, finish, says, scriptedModels, text } from '../support/models.ts';
import { startSite } from '../support/site.ts';

/** Parsers compare each attribute of an element with all before it. */
const endless = `<p ${Array.from({ length: 400_000 }, (_, at) => ` a${at}=1`).join('')}>x`;

/** Fetches one address, then answers. */
const fetching = (url: string) => () =>
  turns(
    says(call('call_1', 'fetch_url', JSON.stringify({ urls: [url] })), finish('tool-calls')),
    says([text('Read.')], finish()),
  );

suite('what accounts share', () => {
  test('ten agents of one account with hostile pages do not make the page of another wait', async (t) => {
    const site = await startSite(t, { '/endless': endless, '/fine': '<p>Fine.' });
    const client = openGuardedClient({ allowHosts: [site.host], userAgent: 'Nestor' });
    // No page is given up in this test: whoever waited behind one would wait for ever.
    const pages = openPageReader({ client, clock: systemClock, timeoutMs: 600_000 });
    t.after(async () => {
      await pages.close();
      await client.close();
    });
    const greedy = Array.from({ length: 10 }, (_, at) => [`lab/g${at}`, fetching(`${site.url}/endless`)()]);
    const models = scriptedModels({ ...Object.fromEntries(greedy), 'lab/b': fetching(`${site.url}/fine`)() });
    const agent = await startAgent(t, { models, tools: { pages } });
    const stop = new AbortController();
    const ended: string[] = [];
    const ask = (model: string, key: string) =>
      agent.send('POST', '/v1/agent', undefined, {
        body: JSON.stringify({ model, input: 'x', tools: [{ type: 'fetch_url' }] }),
        headers: { authorization: `Bearer ${key}` },
        signal: stop.signal,
      });
    const others = Array.from({ length: 10 }, async (_, at) => {
      await ask(`lab/g${at}`, keys.acme).catch(() => {});
      ended.push(`g${at}`);
    });
    const answer = await ask('lab/b', keys.other);
    const { output } = (await answer.json()) as { readonly output: readonly { readonly type: string }[] };
    assert.deepEqual(ended, []);
    assert.deepEqual(
      output.map(({ type }) => type),
      ['fetch_url_results', 'message'],
    );
    stop.abort();
    await Promise.all(others);
  });
});
