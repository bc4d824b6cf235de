import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { chatModels, startChat, twoPages } from '../support/chat.ts';
import { breaks, type Script } from '../support/models.ts';
import { found, scriptedPages, scriptedSearch } from '../support/tools.ts';
import { ask, contentOf, good, kea, plans, systemOf } from './chat.fixture.ts';

/** What is searched for, and how far. Contract 9.1. */

suite('the plan', () => {
  test('the classifier may decide against a search, and then none is charged', async (t) => {
    const search = twoPages();
    const models = chatModels(plans(() => ({ thought: 'A greeting.', search: false, queries: [] }), kea));
    const chat = await startChat(t, { models, search });
    const reply = await good(await chat.post(ask('svc', { enable_search_classifier: true })));
    assert.deepEqual([search.asked.length, reply.usage.cost['request_cost']], [0, 0]);
  });

  test('a short first question is its own query; a conversation is planned by the model', async (t) => {
    const search = twoPages();
    const models = chatModels(
      plans(() => ({ thought: 'Where it lives.', search: true, queries: ['kea habitat'] }), kea),
    );
    const chat = await startChat(t, { models, search });
    await good(await chat.post(ask('svc')));
    assert.equal(models.requests.length, 1);
    const messages = [
      { role: 'user', content: 'What is a kea?' },
      { role: 'assistant', content: 'A parrot.' },
      { role: 'user', content: 'And where does it live?' },
    ];
    await good(await chat.post({ model: 'svc', messages }));
    assert.deepEqual(
      search.asked.map(({ query }) => query.text),
      ['What is a kea?', 'kea habitat'],
    );
  });

  test('a plan that is of no use costs the plan and not the answer', async (t) => {
    const search = twoPages();
    const broken: Script = (request, signal) =>
      request.format.type === 'json-schema'
        ? breaks(new Fault('bad_gateway'))(request, signal)
        : kea(request, signal);
    const chat = await startChat(t, { models: chatModels(broken), search });
    const pro = { web_search_options: { search_type: 'pro' } };
    assert.equal(contentOf(await good(await chat.post(ask('svc-pro', pro)))), 'The kea is a parrot [1].');
    assert.deepEqual(
      search.asked.map(({ query }) => query.text),
      ['What is a kea?'],
    );
  });

  test('a pro search goes on until enough is known, five rounds at most, and repeats no query', async (t) => {
    const search = scriptedSearch((query) => [found(`https://${query.replaceAll(' ', '-')}.example/`)]);
    const models = chatModels(
      plans(
        (_request, count) => ({ thought: `Round ${count}.`, search: true, queries: [`q ${count}`] }),
        kea,
      ),
    );
    const chat = await startChat(t, { models, search });
    const pro = { web_search_options: { search_type: 'pro' } };
    const reply = await good(await chat.post(ask('svc-pro', pro)));
    assert.equal(search.asked.length, 5);
    assert.equal(reply.search_results.length, 5);
    assert.deepEqual(
      reply.choices[0]?.message.reasoning_steps?.map(({ thought }) => thought),
      ['Round 0.', 'Round 1.', 'Round 2.', 'Round 3.', 'Round 4.'],
    );
    const same = chatModels(plans(() => ({ thought: 'Again.', search: true, queries: ['q'] }), kea));
    const again = await startChat(t, { models: same, search });
    await good(await again.post(ask('svc-pro', pro)));
    assert.equal(search.asked.length, 6);
  });

  test('deep research reads pages, keeps notes with their sources and stops at its budget', async (t) => {
    const search = scriptedSearch((query) => [found(`https://${query.replaceAll(' ', '-')}.example/`)]);
    const pages = scriptedPages(
      Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [`https://q-${at}.example/`, `Page ${at} says that.`]),
      ),
    );
    let rounds = 0;
    const script = plans(({ system }) => {
      if (/take notes/.test(system[0] ?? '')) return { relevant: true, note: 'It is green.' };
      return { thought: 'More.', search: true, queries: [`q ${rounds++}`] };
    }, kea);
    const models = chatModels(script);
    const chat = await startChat(t, { models, search, pages });
    for (const [effort, expected] of [
      ['low', 3],
      ['medium', 6],
      ['high', 10],
    ] as const) {
      rounds = 0;
      const before = search.asked.length;
      const reply = await good(await chat.post(ask('svc-deep-research', { reasoning_effort: effort })));
      assert.equal(search.asked.length - before, expected, effort);
      assert.equal(reply.usage['num_search_queries'], expected);
      const types = reply.choices[0]?.message.reasoning_steps?.map(({ type }) => type);
      assert.deepEqual(types?.slice(0, 2), ['web_search', 'fetch_url_content']);
      const answer = models.requests.at(-1);
      assert.match(JSON.stringify(answer?.turns), /It is green\./);
      assert.match(systemOf(answer), /report/);
      assert.equal(answer?.effort, effort);
      assert.ok((reply.usage['reasoning_tokens'] ?? 0) > 0);
    }
  });

  test('a search that fails altogether is told as what it is; one query of several is not missed', async (t) => {
    const down = scriptedSearch(() => Promise.reject(new Fault('bad_gateway', 'The search failed.')));
    const chat = await startChat(t, { models: chatModels(kea), search: down });
    const response = await chat.post(ask('svc'));
    assert.equal(response.status, 502);
    const half = scriptedSearch((query) =>
      query === 'a' ? Promise.reject(new Fault('bad_gateway')) : [found('https://b.example/')],
    );
    const models = chatModels(plans(() => ({ thought: '', search: true, queries: ['a', 'b'] }), kea));
    const other = await startChat(t, { models, search: half });
    const reply = await good(await other.post(ask('svc', { enable_search_classifier: true })));
    assert.deepEqual(reply.citations, ['https://b.example/']);
  });
});
