import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import OpenAI from 'openai';
import { backends, type Gateway } from '../support/gateway.ts';
import type { Said, Told } from '../support/upstream-talk.ts';

/** The unmodified OpenAI client against the router, over each wire that a backend may speak. */

const question = { messages: [{ role: 'user' as const, content: 'Hello' }] };
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Tells the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

function answer({ last, isResult, tools }: Told): Said {
  if (isResult) return { deltas: ['It says: ', last] };
  if (tools.length === 0) return { deltas: ['You said ', last, '.'] };
  return { deltas: [], calls: [{ name: tools[0] ?? '', arguments: '{"city":"Bern"}' }] };
}

function connect({ url, key }: Gateway, apiKey = key): OpenAI {
  return new OpenAI({ baseURL: `${url}/router/v1`, apiKey, maxRetries: 0 });
}

for (const { about, model, start } of backends) {
  suite(`openai ${about}`, () => {
    test('completes a chat', async (t) => {
      const { gateway } = await start(t, { answer });
      const { choices, usage, id } = await connect(gateway).chat.completions.create({ ...question, model });
      assert.equal(choices[0]?.message.content, 'You said Hello.');
      assert.equal(choices[0].finish_reason, 'stop');
      assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [20, 8, 28]);
      assert.match(id, /^chatcmpl-/);
    });

    test('streams a chat, with usage in the end', async (t) => {
      const { gateway } = await start(t, { answer });
      const stream = connect(gateway).chat.completions.stream({
        ...question,
        model,
        stream_options: { include_usage: true },
      });
      let text = '';
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
      assert.equal(text, 'You said Hello.');
      const final = await stream.finalChatCompletion();
      assert.equal(final.choices[0]?.message.content, text);
      assert.equal((await stream.totalUsage()).total_tokens, 28);
    });

    test('runs tools to their end, whole and streamed', async (t) => {
      const { gateway } = await start(t, { answer });
      const seen: string[] = [];
      const tool = {
        type: 'function' as const,
        function: {
          ...weather.function,
          parse: (text: string) => JSON.parse(text) as { city: string },
          function({ city }: { city: string }) {
            seen.push(city);
            return `sun in ${city}`;
          },
        },
      };
      const { completions } = connect(gateway).chat;
      const whole = completions.runTools({ ...question, model, tools: [tool] });
      assert.equal(await whole.finalContent(), 'It says: sun in Bern');
      const streamed = completions.runTools({ ...question, model, tools: [tool], stream: true });
      assert.equal(await streamed.finalContent(), 'It says: sun in Bern');
      assert.deepEqual(seen, ['Bern', 'Bern']);
    });

    test('raises the error class of each status', async (t) => {
      const { gateway } = await start(t, { answer });
      const ask = (client: OpenAI, more: object = {}) =>
        client.chat.completions.create({ ...question, model, ...more });
      await assert.rejects(ask(connect(gateway), { n: 2 }), OpenAI.BadRequestError);
      await assert.rejects(ask(connect(gateway, 'wrong-key-0123456789')), OpenAI.AuthenticationError);
      await assert.rejects(
        ask(connect(gateway), { model: 'lab/none' }),
        (error) => error instanceof OpenAI.BadRequestError && error.param === 'model',
      );
    });

    test('raises a stream that broke off', async (t) => {
      const { gateway } = await start(t, { answer, cutAfter: 2, pauseMs: 5 });
      const stream = await connect(gateway).chat.completions.create({ ...question, model, stream: true });
      let text = '';
      await assert.rejects(async () => {
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
      }, OpenAI.APIError);
      assert.ok(text.length > 0);
    });

    test('lists models and describes one', async (t) => {
      const { gateway } = await start(t, { answer });
      const client = connect(gateway);
      const ids = [];
      for await (const { id } of client.models.list()) ids.push(id);
      assert.ok(ids.includes(model));
    });
  });
}
