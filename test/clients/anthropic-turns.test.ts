import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { startGateway, toOpenAi, type Gateway } from '../support/gateway.ts';
import { makePdf } from '../support/site-files.ts';
import type { TestScope } from '../support/server.ts';
import { startOpenAiTalker, type Said, type Told } from '../support/upstream-talk.ts';

/** Contract 14.1 over a server of the common interface that knows neither documents nor prefills. */

const model = 'lab/talker';
const pdf = makePdf([['The heron waits at the weir.'], ['It fishes at dusk.']], {}).toString('base64');
const document = (data: string): Anthropic.DocumentBlockParam => ({
  type: 'document',
  title: 'Field notes',
  source: { type: 'base64', media_type: 'application/pdf', data },
});
const aboutHerons = { role: 'user', content: 'Tell me of herons.' } as const;
const begun = { role: 'assistant', content: 'A heron is a wading ' } as const;

async function start(t: TestScope, answer: (told: Told) => Said) {
  const talker = await startOpenAiTalker(t, { answer });
  const gateway = await startGateway(t, [toOpenAi('lab', talker.url)]);
  return { talker, client: connect(gateway) };
}

function connect({ url, key }: Gateway): Anthropic {
  return new Anthropic({ baseURL: `${url}/router`, apiKey: key, authToken: null, maxRetries: 0 });
}

/** The same question as one message and as a stream. */
async function both(client: Anthropic, messages: Anthropic.MessageParam[]) {
  const asked = { model, max_tokens: 64, messages };
  const whole = await client.messages.create(asked);
  return [whole, await client.messages.stream(asked).finalMessage()];
}

const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => ('text' in block ? block.text : ''));

suite('@anthropic-ai/sdk with a PDF', () => {
  test('it is read, and the model gets its text', async (t) => {
    const { talker, client } = await start(t, ({ last }) => ({ deltas: [last] }));
    const content = [document(pdf), { type: 'text' as const, text: 'When does it fish?' }];
    for (const message of await both(client, [{ role: 'user', content }])) {
      const [text = ''] = textOf(message);
      assert.match(text, /^Field notes\n\n.*heron waits at the weir.*fishes at dusk.*When does it fish\?$/s);
    }
    const { input_tokens: tokens } = await client.messages.countTokens({
      model,
      messages: [{ role: 'user', content }],
    });
    assert.ok(tokens > 15 && tokens < 100, `${tokens}`);
    assert.equal(talker.bodies.length, 2);
  });

  test('one that cannot be read is 400, names the message and asks nobody', async (t) => {
    const { talker, client } = await start(t, () => ({ deltas: ['never'] }));
    const unreadable = {
      'no PDF': Buffer.from('no pdf at all').toString('base64'),
      'a broken one': Buffer.from('%PDF-1.7 and then nothing').toString('base64'),
      'one without a word': makePdf([['']], {}).toString('base64'),
    };
    for (const [about, data] of Object.entries(unreadable)) {
      const asked = client.messages.create({
        model,
        max_tokens: 8,
        messages: [aboutHerons, begun, { role: 'user', content: [document(data)] }],
      });
      await assert.rejects(asked, (error: unknown) => {
        assert.ok(error instanceof Anthropic.BadRequestError, about);
        assert.match(error.message, /"param":"messages\.2\.content\.0"/);
        return true;
      });
    }
    assert.equal(talker.bodies.length, 0);
  });

  test('more than twenty are 400', async (t) => {
    const { client } = await start(t, () => ({ deltas: ['never'] }));
    const content = Array.from({ length: 21 }, () => document(pdf));
    const asked = client.messages.create({ model, max_tokens: 8, messages: [{ role: 'user', content }] });
    await assert.rejects(asked, /at most 20 documents/);
  });
});

suite('@anthropic-ai/sdk with a last message of the assistant', () => {
  test('the model is asked to go on, and the answer continues it', async (t) => {
    const { talker, client } = await start(t, () => ({ deltas: ['bird with ', 'long legs.'] }));
    for (const message of await both(client, [aboutHerons, begun])) {
      assert.deepEqual(textOf(message), ['bird with long legs.']);
      assert.equal(message.stop_reason, 'end_turn');
    }
    const messages = talker.bodies[0]?.['messages'] as readonly { role: string; content: string }[];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    assert.equal(messages[1]?.content, begun.content);
    assert.match(messages[2]?.content ?? '', /^Continue your last message/);
  });

  test('what a model repeats of it is not told twice, however it is cut into pieces', async (t) => {
    for (const deltas of [
      ['A heron is a wading bird.'],
      ['A ', 'heron is', ' a wa', 'ding', ' bird.'],
      ['\n', ...'A heron is a wading bird.'],
    ]) {
      const { client } = await start(t, () => ({ deltas }));
      for (const message of await both(client, [aboutHerons, begun]))
        assert.deepEqual(textOf(message), [' bird.']);
    }
  });

  test('an answer that only begins like it keeps every letter', async (t) => {
    for (const text of ['A hero never rests.', 'A heron is', ' A']) {
      const { client } = await start(t, () => ({ deltas: [...text] }));
      for (const message of await both(client, [aboutHerons, begun]))
        assert.deepEqual(textOf(message), [text]);
    }
  });

  test('calls of tools come through', async (t) => {
    const tool = {
      name: 'look',
      description: 'Looks.',
      input_schema: { type: 'object' as const, properties: {} },
    };
    const { client } = await start(t, () => ({
      deltas: ['A heron'],
      calls: [{ name: 'look', arguments: '{}' }],
    }));
    const message = await client.messages.create({
      model,
      max_tokens: 64,
      messages: [aboutHerons, begun],
      tools: [tool],
    });
    assert.deepEqual(
      message.content.map(({ type }) => type),
      ['text', 'tool_use'],
    );
  });
});
