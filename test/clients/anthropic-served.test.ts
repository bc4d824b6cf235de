import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer, untilDocs } from '../support/server.ts';

/** Tools of Anthropic's servers, run here over the index, by the unmodified client. */

const asked: Parameters<Answer>[0][] = [];
const answers: Answer = (request, signal) => {
  asked.push(request);
  const last = request.turns.at(-1);
  const result = last?.role === 'tool' ? last.results[0] : undefined;
  const said = result?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
  const user =
    last?.role === 'user' ? last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
  const script =
    user === 'Find it.'
      ? [
          [text('I look. ')],
          call('s1', 'web_search', '{"queries":["How do I revoke a token?"]}'),
          finish('tool-calls'),
        ]
      : user === 'Read it.'
        ? [call('f1', 'fetch_url', '{"urls":["http://127.0.0.1:9/away"]}'), finish('tool-calls')]
        : user === 'Call mine.'
          ? [call('c1', 'weather', '{"city":"Bern"}'), finish('tool-calls')]
          : [[text(said.includes('Keys and tokens') ? 'You revoke it [1].' : 'I know nothing.')], finish()];
  return says(...script)(request, signal);
};
const server = await startServer(
  { after },
  { withDocs: true, providers: [scriptedProvider('lab', { talk: { answer: answers } })] },
);
await untilDocs(server);
const client = new Anthropic({
  baseURL: `${server.url}/anthropic`,
  apiKey: server.key,
  authToken: null,
  maxRetries: 0,
});
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 } as const;
const fetching = { type: 'web_fetch_20250910', name: 'web_fetch' } as const;
const base = { model: 'lab/talk', max_tokens: 500 };
const ask = (content: string) => ({ ...base, messages: [{ role: 'user' as const, content }] });

suite('tools of the server on /anthropic', () => {
  test('search the web, with results, citations and counts, whole and streamed alike', async () => {
    const whole = await client.messages.create({ ...ask('Find it.'), tools: [search] });
    assert.deepEqual(
      whole.content.map(({ type }) => type),
      ['text', 'server_tool_use', 'web_search_tool_result', 'text'],
    );
    const [, use, result, answer] = whole.content;
    assert.ok(use?.type === 'server_tool_use' && result?.type === 'web_search_tool_result');
    assert.deepEqual([use.name, use.input], ['web_search', { query: 'How do I revoke a token?' }]);
    assert.equal(result.tool_use_id, use.id);
    assert.ok(Array.isArray(result.content));
    assert.equal(result.content[0]?.title, 'Keys and tokens');
    assert.ok(answer?.type === 'text');
    const [cited] = answer.citations ?? [];
    assert.ok(cited?.type === 'web_search_result_location');
    assert.equal(cited.url, result.content[0]?.url);
    assert.notEqual(cited.cited_text, '');
    assert.equal(whole.stop_reason, 'end_turn');
    assert.equal(whole.usage.server_tool_use?.web_search_requests, 1);

    const streamed = await client.messages.stream({ ...ask('Find it.'), tools: [search] }).finalMessage();
    const plain = (message: Anthropic.Message) =>
      JSON.parse(JSON.stringify(message.content).replaceAll(/srvtoolu_\w+/g, 'ID')) as unknown;
    assert.deepEqual(plain(streamed), plain(whole));
    assert.deepEqual(streamed.usage.server_tool_use, whole.usage.server_tool_use);

    await client.messages.create({
      ...base,
      tools: [search],
      messages: [
        { role: 'user', content: 'Find it.' },
        { role: 'assistant', content: whole.content as Anthropic.ContentBlockParam[] },
        {
          role: 'user',
          content: [
            { type: 'container_upload', file_id: 'file_1' } as unknown as Anthropic.TextBlockParam,
            { type: 'text', text: 'Thanks.' },
          ],
        },
      ],
    });
    const again = JSON.stringify(asked.at(-1)?.turns);
    assert.match(again, /revoke/, 'what was found comes back to the model');
  });

  test('tell of a page that cannot be read, and call functions of the caller beside them', async () => {
    const read = await client.messages.create({ ...ask('Read it.'), tools: [fetching] });
    const result = read.content.find((block) => block.type === 'web_fetch_tool_result');
    assert.deepEqual(result?.content, {
      type: 'web_fetch_tool_result_error',
      error_code: 'url_not_accessible',
    });
    const weather = { name: 'weather', input_schema: { type: 'object' as const } };
    const called = await client.messages.create({ ...ask('Call mine.'), tools: [search, weather] });
    const use = called.content.find((block) => block.type === 'tool_use');
    assert.deepEqual([use?.name, use?.input, called.stop_reason], ['weather', { city: 'Bern' }, 'tool_use']);
  });

  test('are forced where they are asked for by name, and refused where nothing here can do the same', async () => {
    await client.messages.create({
      ...ask('Anything.'),
      tools: [search],
      tool_choice: { type: 'tool', name: 'web_search' },
    });
    assert.deepEqual(asked.find(({ toolChoice }) => typeof toolChoice === 'object')?.toolChoice, {
      name: 'web_search',
    });
    await assert.rejects(
      client.messages.create({
        ...ask('Run it.'),
        tools: [{ type: 'code_execution_20250522', name: 'code_execution' }],
      }),
      Anthropic.BadRequestError,
    );
  });
});
