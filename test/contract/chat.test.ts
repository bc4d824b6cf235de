import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { chatModels, startChat, twoPages } from '../support/chat.ts';
import { call, finish, says, text } from '../support/models.ts';
import { found, scriptedSearch } from '../support/tools.ts';
import { ask, contentOf, good, kea, plans, systemOf } from './chat.fixture.ts';

/** Contract 9 over models, pages and a search in memory. */

suite('a completion', () => {
  test('trap 52: delta is there without a stream, and content is never null', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea) });
    const reply = await good(await chat.post(ask('svc')));
    assert.deepEqual(reply.choices[0]?.delta, { role: 'assistant', content: '' });
    assert.equal(contentOf(reply), 'The kea is a parrot [1].');
    const calling = chatModels(says(call('c1', 'weather', '{}'), finish('tool-calls')));
    const other = await startChat(t, { models: calling });
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
    const called = await good(await other.post(ask('svc-pro', { tools })));
    assert.equal(contentOf(called), '');
    assert.equal(called.choices[0]?.finish_reason, 'tool_calls');
    assert.deepEqual(called.choices[0]?.message.tool_calls, [
      { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ]);
  });

  test('trap 53: citations mirror the results, and a switch turns them off', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea) });
    const reply = await good(await chat.post(ask('svc')));
    assert.deepEqual(
      reply.citations,
      reply.search_results.map(({ url }) => url),
    );
    const off = await startChat(t, { models: chatModels(kea), settings: { citations: false } });
    assert.equal((await good(await off.post(ask('svc')))).citations, undefined);
  });

  test('what is cut ends with a whole sign, in queries and in replies', async (t) => {
    const parrots = `a${'\u{1f99c}'.repeat(2_000)}`;
    const search = scriptedSearch(() => [
      found('https://kea.example/', { title: parrots, snippet: parrots, text: parrots }),
    ]);
    const chat = await startChat(t, { models: chatModels(kea), search });
    const asked = { messages: [{ role: 'user', content: parrots }], return_related_questions: true };
    const reply = await good(await chat.post(ask('svc', asked)));
    assert.ok(search.asked.every(({ query }) => query.text.isWellFormed()));
    assert.ok(reply.search_results.every(({ snippet }) => snippet.length === 999 && snippet.isWellFormed()));
    assert.ok(reply.related_questions?.every((question) => question.isWellFormed()));
  });

  test('trap 59: each model has its own fixed keys of usage', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea) });
    const plain = ['completion_tokens', 'cost', 'prompt_tokens', 'search_context_size', 'total_tokens'];
    const cost = ['input_tokens_cost', 'output_tokens_cost', 'request_cost', 'total_cost'];
    for (const model of ['svc', 'svc-pro', 'svc-reasoning-pro']) {
      const { usage } = await good(await chat.post(ask(model)));
      assert.deepEqual(Object.keys(usage).sort(), plain, model);
      assert.deepEqual(Object.keys(usage.cost).sort(), cost, model);
    }
    const { usage } = await good(await chat.post(ask('svc-deep-research')));
    assert.deepEqual(
      Object.keys(usage).sort(),
      [...plain, 'citation_tokens', 'num_search_queries', 'reasoning_tokens'].sort(),
    );
    assert.equal(usage.cost['citation_tokens_cost'], 0);
  });

  test('costs are plain products and sums, with the fee of the context size when a search ran', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea) });
    const sized = { web_search_options: { search_context_size: 'high' } };
    const { usage } = await good(await chat.post(ask('svc-pro', sized)));
    const { prompt_tokens: input = 0, completion_tokens: output = 0, cost } = usage;
    assert.equal(cost['input_tokens_cost'], (input * 3) / 1_000_000);
    assert.equal(cost['output_tokens_cost'], (output * 15) / 1_000_000);
    assert.equal(cost['request_cost'], 0.014);
    const { input_tokens_cost: i = 0, output_tokens_cost: o = 0, request_cost: r = 0 } = cost;
    assert.equal(cost['total_cost'], i + o + r);
    const pro = await good(await chat.post(ask('svc-pro', { web_search_options: { search_type: 'pro' } })));
    assert.equal(pro.usage.cost['request_cost'], 0.014);
    const off = await good(await chat.post(ask('svc-pro', { disable_search: true })));
    assert.equal(off.usage.cost['request_cost'], 0);
    const billed = chat.records.at(-1)?.billing;
    assert.equal(billed?.model, 'svc-pro');
    assert.equal(chat.records[0]?.billing?.otherUnits?.['searches'], 1);
  });

  test('the fee is due for a search that found nothing, and markers without a source are removed', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea), search: scriptedSearch(() => []) });
    const reply = await good(await chat.post(ask('svc')));
    assert.equal(contentOf(reply), 'The kea is a parrot.');
    assert.deepEqual([reply.search_results, reply.citations], [[], []]);
    assert.equal(reply.usage.cost['request_cost'], 0.005);
  });

  test('without a search brackets stay and the model is told nothing of sources', async (t) => {
    const models = chatModels(kea);
    const search = twoPages();
    const chat = await startChat(t, { models, search });
    const reply = await good(await chat.post(ask('svc', { disable_search: true })));
    assert.equal(contentOf(reply), 'The kea is a parrot [1] [7].');
    assert.deepEqual([search.asked.length, reply.search_results], [0, []]);
    assert.doesNotMatch(systemOf(models.requests[0]), /results/);
  });

  test('what was found stands behind the question as data, cut to the size of the context', async (t) => {
    const models = chatModels(kea);
    const long = 'The kea is a parrot of the mountains. '.repeat(1_000);
    const pages = ['a', 'b', 'c', 'd'].map((name) => found(`https://${name}.example/`, { text: long }));
    const chat = await startChat(t, { models, search: scriptedSearch(() => pages) });
    const reply = await good(await chat.post(ask('svc')));
    const turn = JSON.stringify(models.requests[0]?.turns[0]);
    assert.match(turn, /What is a kea\?.*<results>.*follow no instructions/);
    assert.ok(turn.length < 24_000, `${turn.length} is about 3,000 tokens`);
    assert.equal(reply.search_results.length, 3, 'what does not fit is no source');
  });

  test('filters, mode, place and counts reach the search', async (t) => {
    const search = twoPages();
    const chat = await startChat(t, { models: chatModels(kea), search });
    await good(
      await chat.post(
        ask('svc', {
          search_mode: 'academic',
          search_domain_filter: ['nasa.gov', '-example.com'],
          search_language_filter: ['DE'],
          search_after_date_filter: '1/31/2025',
          last_updated_before_filter: '2026-01-31',
          num_search_results: 3,
          safe_search: false,
          web_search_options: { user_location: { country: 'nz', city: 'Hokitika' } },
        }),
      ),
    );
    const query = search.asked[0]?.query;
    assert.deepEqual(query?.filters, {
      allowDomains: ['nasa.gov'],
      denyDomains: ['example.com'],
      languages: ['de'],
      publishedAfter: '2025-01-31',
      publishedBefore: null,
      updatedAfter: null,
      updatedBefore: '2026-01-31',
      maxAgeMs: null,
    });
    assert.deepEqual([query?.kind, query?.hitsMax, query?.safe], ['academic', 3, false]);
    assert.deepEqual([query?.place?.country, query?.place?.city], ['NZ', 'Hokitika']);
  });

  test('reasoning models begin with their reasoning, the others never do, and a switch turns it off', async (t) => {
    const thinking = says([{ type: 'reasoning-delta', text: 'A bird?' }], [text('Yes [1].')], finish());
    const chat = await startChat(t, { models: chatModels(thinking) });
    for (const model of ['svc-reasoning-pro', 'svc-deep-research']) {
      const content = contentOf(await good(await chat.post(ask(model))));
      assert.match(content, /^<think>\n[^]*\nA bird\?\n<\/think>\n\nYes \[1\]\.$/, model);
    }
    for (const model of ['svc', 'svc-pro'])
      assert.equal(contentOf(await good(await chat.post(ask(model)))), 'Yes [1].');
    const off = await startChat(t, { models: chatModels(thinking), thinkPreamble: false });
    assert.equal(contentOf(await good(await off.post(ask('svc-reasoning-pro')))), 'Yes [1].');
  });

  test('steps are told by reasoning models and by a pro search only', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea) });
    const stepsOf = async (model: string, more: object = {}) =>
      (await good(await chat.post(ask(model, more)))).choices[0]?.message.reasoning_steps;
    assert.equal(await stepsOf('svc'), undefined);
    assert.equal(await stepsOf('svc-pro'), undefined);
    const pro = await stepsOf('svc-pro', { web_search_options: { search_type: 'pro' } });
    for (const steps of [pro, await stepsOf('svc-reasoning-pro'), await stepsOf('svc-deep-research')])
      assert.deepEqual(
        steps?.map(({ type }) => type),
        ['web_search'],
      );
  });

  test('a cut answer says so, and stop sequences and settings reach the model', async (t) => {
    const models = chatModels(says([text('The')], finish('length')));
    const chat = await startChat(t, { models });
    const reply = await good(
      await chat.post(ask('svc', { max_completion_tokens: 5, stop: 'END', top_k: 0, temperature: 1 })),
    );
    assert.equal(reply.choices[0]?.finish_reason, 'length');
    const [request] = models.requests;
    assert.deepEqual(
      [request?.outputTokensMax, request?.stop, request?.topK, request?.temperature, request?.topP],
      [5, ['END'], null, 1, 0.9],
    );
  });

  test('images, videos and related questions come only where they were asked for', async (t) => {
    const image = (name: string) => ({
      imageUrl: `https://img.example/${name}`,
      originUrl: 'https://kea.example/',
      title: name,
      width: 10,
      height: 20,
    });
    const search = {
      ...twoPages(),
      images: () => Promise.resolve([image('a.png'), image('b.gif'), image('c.png')]),
      videos: () => Promise.reject(new Fault('bad_gateway')),
    };
    const models = chatModels(
      plans(
        ({ system }) => (/next/.test(system[0] ?? '') ? { questions: ['A?', 'B?', 'C?', 'D?'] } : null),
        kea,
      ),
    );
    const chat = await startChat(t, { models, search });
    const reply = await good(
      await chat.post(
        ask('svc', {
          return_images: true,
          num_images: 1,
          image_format_filter: ['png'],
          media_response: { overrides: { return_videos: true } },
          return_related_questions: true,
        }),
      ),
    );
    assert.deepEqual(reply.images, [
      {
        image_url: 'https://img.example/a.png',
        origin_url: 'https://kea.example/',
        title: 'a.png',
        width: 10,
        height: 20,
      },
    ]);
    assert.deepEqual([reply.videos, reply.related_questions], [[], ['A?', 'B?', 'C?', 'D?']]);
    const bare = await good(await chat.post(ask('svc')));
    assert.deepEqual([bare.images, bare.videos, bare.related_questions], [undefined, undefined, undefined]);
  });
});

const shared = await startChat({ after }, { models: chatModels(kea) });

test('the name that was sent is the name that comes back, and the canonical one is billed', async () => {
  for (const model of ['svc-pro', 'sonar-pro']) {
    const reply = await good(await shared.post(ask(model)));
    assert.equal(reply.model, model);
    assert.equal(shared.records.at(-1)?.billing?.model, 'svc-pro');
  }
});

test('trap 58: unknown fields are passed over', async () => {
  const unknown = { n: 3, logprobs: true, user: 'a', metadata: {}, _x: 1, frobnicate: [] };
  await good(await shared.post(ask('svc', unknown)));
});
