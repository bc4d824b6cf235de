import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { assertChoice, assertScore, assertShare, rejection } from '../clients/support.ts';
import type { TestServer } from '../support/server.ts';
import { model, openLibrary, promptOf, startSmolLm2, type Library } from '../support/smollm2.ts';
import { skipsWeights } from '../support/weights.ts';

/**
 * SmolLM2-135M-Instruct through a whole server: weights that were trained, asked through clients that nobody changed.
 * What it says is its own affair; that it is the same, whole, counted and in form is ours.
 */

const question = 'What is the capital of France?';
const messages = [{ role: 'user' as const, content: question }];
/** The likeliest answer, cut after 16 tokens. */
const brief = { model, messages, max_tokens: 16, temperature: 0 };
const city = {
  type: 'object',
  properties: {
    size: { type: 'string', enum: ['small', 'large'] },
    old: { type: 'boolean' },
    districts: { type: 'array', items: { type: 'integer', enum: [1, 2, 3] }, maxItems: 2 },
  },
  required: ['size', 'old', 'districts'],
  additionalProperties: false,
};
const weather = { name: 'weather', parameters: { type: 'object', properties: {} } };

function assertCity(text: string | null | undefined): void {
  const { size, old, districts, ...others } = JSON.parse(text ?? '') as Record<string, unknown>;
  assert.ok(size === 'small' || size === 'large', String(size));
  assert.equal(typeof old, 'boolean');
  assert.ok(Array.isArray(districts) && districts.length <= 2);
  assert.ok(districts.every((district) => [1, 2, 3].includes(Number(district))));
  assert.deepEqual(others, {});
}

suite('SmolLM2 through a whole server', { skip: skipsWeights }, () => {
  const closers: (() => Promise<void> | void)[] = [];
  const scope = { after: (close: () => Promise<void>) => void closers.push(close) };
  let server: TestServer;
  let library: Library;
  let openai: OpenAI;
  let router: OpenAI;
  let chat: OpenAI;
  let anthropic: Anthropic;
  before(async () => {
    server = await startSmolLm2(scope);
    library = await openLibrary(scope);
    const { url, key } = server;
    const clientAt = (path: string) => new OpenAI({ baseURL: url + path, apiKey: key, maxRetries: 0 });
    [openai, router, chat] = [clientAt('/v1'), clientAt('/router/v1'), clientAt('')];
    anthropic = new Anthropic({ baseURL: `${url}/router`, apiKey: key, authToken: null, maxRetries: 0 });
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  suite('decides', () => {
    const state = 'The parcel came broken and I want my money back.';
    const questions = {
      angry: { type: 'noul', instructions: 'Is it a complaint?' },
      topic: { type: 'choice', criteria: { refund: null, praise: 'Somebody is content.', question: null } },
      mood: { type: 'score', instructions: 'How content?', criteria: ['not at all', 'somewhat', 'very'] },
    };
    const decide = async (asked: object) => {
      const body = { model: 'svc-decider-v1-27b', state, questions: asked };
      const response = await server.post('/v1/decisions', body);
      const text = await response.text();
      assert.deepEqual([response.status, response.headers.get('x-nestor-engine')], [200, 'local'], text);
      return text;
    };
    const answersOf = (text: string) =>
      (JSON.parse(text) as { answers: { angry: { noul: number } } & Record<'topic' | 'mood', never> })
        .answers;
    let cold = '';

    test('every kind of question, and with the same bytes once the state is warm', async () => {
      cold = await decide(questions);
      const { angry, topic, mood } = answersOf(cold);
      assertShare(angry.noul);
      assertChoice(topic, Object.keys(questions.topic.criteria));
      assertScore(mood, 3);
      assert.equal(await decide(questions), cold);
    });

    test('whatever the order of the options, and whatever is asked beside it', async () => {
      const { refund, praise, question: asks } = questions.topic.criteria;
      const turned = { ...questions.topic, criteria: { question: asks, refund, praise } };
      const { angry, topic } = answersOf(cold);
      assert.deepEqual(answersOf(await decide({ topic: turned, angry: questions.angry })), { angry, topic });
    });
  });

  suite('answers over chat completions', () => {
    test('what the library alone writes behind the template of the file, and counts its tokens', async () => {
      const { choices, usage } = await router.chat.completions.create(brief);
      assert.equal(choices[0]?.message.content, await library.write(promptOf(question), 16));
      assert.equal(choices[0]?.finish_reason, 'length');
      assert.equal(usage?.prompt_tokens, library.countTokens(promptOf(question)));
      assert.equal(usage.completion_tokens, 16);
    });

    test('streamed as it is whole', async () => {
      const whole = await router.chat.completions.create(brief);
      const stream = router.chat.completions.stream({ ...brief, stream_options: { include_usage: true } });
      let deltas = '';
      for await (const { choices } of stream) deltas += choices[0]?.delta.content ?? '';
      const { choices, usage } = await stream.finalChatCompletion();
      assert.equal(deltas, whole.choices[0]?.message.content);
      assert.equal(choices[0]?.finish_reason, 'length');
      assert.deepEqual(usage, whole.usage);
    });

    test('the same seed draws the same answer', async () => {
      const drawn = { ...brief, temperature: 1, seed: 7 };
      const [first, again] = [
        await router.chat.completions.create(drawn),
        await router.chat.completions.create(drawn),
      ];
      assert.equal(again.choices[0]?.message.content, first.choices[0]?.message.content);
    });

    test('a stop sequence ends it, wherever its tokens are cut', async () => {
      const text = (await router.chat.completions.create(brief)).choices[0]?.message.content ?? '';
      const stop = text.slice(5, 9);
      const { choices } = await router.chat.completions.create({ ...brief, stop: ['never said', stop] });
      assert.equal(choices[0]?.finish_reason, 'stop');
      assert.equal(choices[0].message.content, text.slice(0, text.indexOf(stop)));
    });

    test('in the shape of a schema, whole and streamed', async () => {
      const schema = { name: 'city', schema: city };
      const asked = {
        ...brief,
        max_tokens: 60,
        response_format: { type: 'json_schema' as const, json_schema: schema },
      };
      const whole = (await router.chat.completions.create(asked)).choices[0];
      assert.equal(whole?.finish_reason, 'stop');
      assertCity(whole.message.content);
      assert.equal(await router.chat.completions.stream(asked).finalContent(), whole.message.content);
    });

    test('a function is refused, because the template of the file knows none', async () => {
      const tools = [{ type: 'function' as const, function: weather }];
      const error = await rejection(
        router.chat.completions.create({ ...brief, tools }),
        OpenAI.BadRequestError,
      );
      assert.equal(error.param, 'tools');
    });
  });

  suite('answers over Messages', () => {
    test('whole, streamed and counted alike', async () => {
      const whole = await anthropic.messages.create(brief);
      const streamed = await anthropic.messages.stream(brief).finalMessage();
      assert.deepEqual(streamed.content, whole.content);
      assert.deepEqual([whole.stop_reason, streamed.stop_reason], ['max_tokens', 'max_tokens']);
      const counted = await anthropic.messages.countTokens({ model, messages });
      assert.equal(counted.input_tokens, library.countTokens(promptOf(question)));
      assert.equal(whole.usage.input_tokens, counted.input_tokens);
      assert.equal(whole.usage.output_tokens, 16);
    });

    test('goes on behind what was said for it, up to a stop sequence', async () => {
      const begun = [...messages, { role: 'assistant' as const, content: 'The capital of' }];
      const whole = await anthropic.messages.create({ ...brief, messages: begun });
      const text = whole.content[0]?.type === 'text' ? whole.content[0].text : '';
      assert.equal(text, await library.write(`${promptOf(question)}The capital of`, 16));
      const stop = text.slice(3, 6);
      const stopped = await anthropic.messages.create({ ...brief, messages: begun, stop_sequences: [stop] });
      assert.deepEqual([stopped.stop_reason, stopped.stop_sequence], ['stop_sequence', stop]);
    });
  });

  suite('answers as an agent', () => {
    const asked = { model, input: question, max_output_tokens: 16, temperature: 0 };

    test('whole and streamed, and the stored answer is the one that was given', async () => {
      const whole = await openai.responses.create(asked);
      assert.equal(whole.output_text, await library.write(promptOf(question), 16));
      assert.equal(whole.incomplete_details?.reason, 'max_output_tokens');
      assert.equal(whole.usage?.input_tokens, library.countTokens(promptOf(question)));
      assert.equal((await openai.responses.retrieve(whole.id)).output_text, whole.output_text);
      let deltas = '';
      for await (const event of await openai.responses.create({ ...asked, stream: true }))
        if (event.type === 'response.output_text.delta') deltas += event.delta;
      assert.equal(deltas, whole.output_text);
    });

    test('in the shape of a schema', async () => {
      const format = { type: 'json_schema' as const, name: 'city', schema: city };
      const { output_text, status } = await openai.responses.create({
        ...asked,
        max_output_tokens: 60,
        text: { format },
      });
      assert.equal(status, 'completed');
      assertCity(output_text);
    });

    test('a function is refused, because the template of the file knows none', async () => {
      const tools = [{ type: 'function' as const, strict: false, ...weather }];
      const error = await rejection(openai.responses.create({ ...asked, tools }), OpenAI.BadRequestError);
      assert.equal(error.param, 'tools');
      assert.match(error.message, /does not call functions/);
    });
  });

  test('answers in the chat product, streamed as it is whole, and in the shape of a schema', async () => {
    const greeting = [{ role: 'user' as const, content: 'Hi!' }];
    const asked = { ...brief, messages: greeting, model: 'svc', disable_search: true };
    const whole = await chat.chat.completions.create(asked);
    let deltas = '';
    for await (const { choices } of await chat.chat.completions.create({ ...asked, stream: true }))
      deltas += choices[0]?.delta.content ?? '';
    assert.equal(deltas, whole.choices[0]?.message.content);
    const tokens = library.countTokens(deltas);
    assert.equal(whole.usage?.completion_tokens, tokens);
    // The prompt has the day in it, and on some days the answer is a longer one.
    assert.equal(whole.choices[0]?.finish_reason, tokens < asked.max_tokens ? 'stop' : 'length');
    const { choices } = await chat.chat.completions.create({
      ...asked,
      max_tokens: 60,
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema: city } },
    });
    assertCity(choices[0]?.message.content);
  });

  test('what is asked at once is each what it is alone', async () => {
    const decision = {
      model: 'svc-decider-v1-27b',
      state: question,
      questions: { asks: { type: 'noul', instructions: 'Is it a question?' } },
    };
    const decide = async () => (await server.post('/v1/decisions', decision)).text();
    const answer = async () => (await router.chat.completions.create(brief)).choices[0]?.message.content;
    const alone = [await decide(), await answer()];
    const together = await Promise.all([decide(), answer(), decide(), answer()]);
    assert.deepEqual(together, [...alone, ...alone]);
  });
});
