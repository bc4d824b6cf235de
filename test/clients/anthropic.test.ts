import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { backends, type Gateway } from '../support/gateway.ts';
import type { Said, Told } from '../support/upstream-talk.ts';

/** The unmodified Messages client against the router, over each wire that a backend may speak. */

const weather = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};
/** Of the wire, but no longer of the client's types. */
const topK: object = { top_k: 5 };
const question = { max_tokens: 64, messages: [{ role: 'user' as const, content: 'Hello' }] };

/** Calls each tool once for Bern and Oslo, then says what came back. */
function answer({ last, isResult, tools }: Told): Said {
  if (isResult) return { deltas: ['It says: ', last] };
  if (tools.length === 0) return { deltas: ['You said ', last, '.'] };
  return {
    deltas: ['I look.'],
    calls: ['Bern', 'Oslo'].map((city) => ({ name: tools[0] ?? '', arguments: JSON.stringify({ city }) })),
  };
}

function connect({ url, key }: Gateway, base = '/router', more: object = {}): Anthropic {
  return new Anthropic({ baseURL: `${url}${base}`, apiKey: key, authToken: null, maxRetries: 0, ...more });
}

for (const { about, model, start } of backends) {
  suite(`@anthropic-ai/sdk ${about}`, () => {
    test('creates a message', async (t) => {
      const { gateway } = await start(t, { answer });
      const { data, request_id } = await connect(gateway)
        .messages.create({ ...question, model })
        .withResponse();
      assert.deepEqual(data.content, [{ type: 'text', text: 'You said Hello.', citations: null }]);
      assert.equal(data.stop_reason, 'end_turn');
      assert.equal(data.model, model);
      assert.deepEqual([data.usage.input_tokens, data.usage.output_tokens], [16, 8]);
      assert.match(String(request_id), /^[0-9a-f-]{36}$/);
    });

    test('reads a raw stream and the stream helper, which agree with the whole message', async (t) => {
      const { gateway } = await start(t, { answer });
      const client = connect(gateway);
      const types: string[] = [];
      for await (const { type } of await client.messages.create({ ...question, model, stream: true })) {
        types.push(type);
      }
      assert.equal(types[0], 'message_start');
      assert.equal(types.at(-1), 'message_stop');
      const texts: string[] = [];
      const stream = client.messages.stream({ ...question, model }).on('text', (text) => texts.push(text));
      const final = await stream.finalMessage();
      assert.equal(texts.join(''), 'You said Hello.');
      const whole = await client.messages.create({ ...question, model });
      assert.deepEqual(final.content, whole.content);
      assert.deepEqual([final.stop_reason, final.stop_sequence, final.model], ['end_turn', null, model]);
      assert.equal(final.usage.output_tokens, whole.usage.output_tokens);
      assert.equal(final.usage.input_tokens, whole.usage.input_tokens);
    });

    test('carries tools there and back, whole and streamed', async (t) => {
      const { gateway, talker } = await start(t, { answer });
      const client = connect(gateway);
      const asked = { ...question, model, tools: [weather] };
      const first = await client.messages.create(asked);
      assert.equal(first.stop_reason, 'tool_use');
      const streamed = await client.messages.stream(asked).finalMessage();
      const withoutIds = (content: Anthropic.ContentBlock[]) =>
        content.map((block) => (block.type === 'tool_use' ? [block.name, block.input] : block.type));
      assert.deepEqual(withoutIds(streamed.content), withoutIds(first.content));
      assert.deepEqual(withoutIds(first.content), [
        'text',
        ['weather', { city: 'Bern' }],
        ['weather', { city: 'Oslo' }],
      ]);
      const results = first.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [
              {
                type: 'tool_result' as const,
                tool_use_id: block.id,
                content: `rain ${JSON.stringify(block.input)}`,
              },
            ]
          : [],
      );
      const second = await client.messages.create({
        ...asked,
        messages: [
          ...question.messages,
          { role: 'assistant', content: first.content },
          { role: 'user', content: results },
        ],
      });
      assert.match(second.content[0]?.type === 'text' ? second.content[0].text : '', /^It says: .*rain/);
      assert.equal(talker.bodies.length, 3);
    });

    test('runs an agent with tools to its end', async (t) => {
      const { gateway } = await start(t, { answer });
      const seen: string[] = [];
      const tool = betaTool({
        name: 'weather',
        description: 'Tells the weather of a city.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        run({ city }) {
          seen.push(city);
          return `sun in ${city}`;
        },
      });
      for (const stream of [false, true]) {
        const runner = connect(gateway).beta.messages.toolRunner({
          ...question,
          // Otherwise the client sends new messages only and counts on the server for those before.
          thread: false,
          model,
          tools: [tool],
          stream,
        });
        const final = await runner.runUntilDone();
        const [block] = final.content;
        assert.match(block?.type === 'text' ? block.text : '', /sun in (?:Bern|Oslo)/);
      }
      assert.deepEqual(seen, ['Bern', 'Oslo', 'Bern', 'Oslo']);
    });

    test('counts tokens and lists models', async (t) => {
      const { gateway } = await start(t, { answer });
      const client = connect(gateway);
      const { input_tokens } = await client.messages.countTokens({
        model,
        messages: question.messages,
        tools: [weather],
      });
      assert.ok(input_tokens > 0);
      const listed = [];
      for await (const { id } of client.models.list()) listed.push(id);
      assert.ok(listed.includes(model));
    });

    test('72: finds every base address, with either header for the key', async (t) => {
      const { gateway } = await start(t, { answer });
      const bearer = { apiKey: null, authToken: gateway.key };
      for (const base of ['', '/router', '/router/v1']) {
        for (const more of [{}, bearer]) {
          const client = connect(gateway, base, more);
          assert.equal((await client.messages.create({ ...question, model })).type, 'message');
        }
      }
    });

    test('raises the error class of each status, with the message', async (t) => {
      const { gateway } = await start(t, { answer });
      const client = connect(gateway);
      await assert.rejects(
        client.messages.create({ ...question, model, ...topK }),
        (error) =>
          error instanceof Anthropic.BadRequestError && error.message.includes('top_k is not supported'),
      );
      await assert.rejects(
        connect(gateway, '/router', { apiKey: 'wrong-key-0123456789' }).messages.create({
          ...question,
          model,
        }),
        Anthropic.AuthenticationError,
      );
      const busy = await start(t, { answer, status: 503 });
      await assert.rejects(
        connect(busy.gateway).messages.create({ ...question, model }),
        (error) => error instanceof Anthropic.RateLimitError && error.headers.has('retry-after'),
      );
    });

    test('raises a stream that broke off', async (t) => {
      const { gateway } = await start(t, { answer, cutAfter: 2, pauseMs: 5 });
      const texts: string[] = [];
      const stream = connect(gateway)
        .messages.stream({ ...question, model })
        .on('text', (text) => texts.push(text));
      await assert.rejects(stream.finalMessage(), Anthropic.APIError);
      assert.ok(texts.length > 0);
    });
  });
}
