import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import {
  APICallError,
  embedMany,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
  type LanguageModel,
} from 'ai';
import { finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { assistant } from './agent.fixture.ts';
import { pixel, rejection } from './support.ts';

/** The AI SDK's own packages for both vendors, unmodified, on the surfaces that are made for their clients. */

const asked: Parameters<Answer>[0][] = [];
const recorded: Answer = (request, signal) => {
  asked.push(request);
  return assistant(request, signal);
};
const thinker: Answer = (request, signal) => {
  asked.push(request);
  return says(
    [{ type: 'reasoning-delta', text: 'Keas are ' }],
    [{ type: 'reasoning-delta', text: 'parrots.' }],
    [text('A parrot.')],
    finish(),
  )(request, signal);
};

const server = await startServer(
  { after },
  {
    providers: [scriptedProvider('lab', { echo: { answer: recorded }, thinker: { answer: thinker } })],
    // The client asks models whose names it knows for more.
    config: `aliases: { models: { gpt-5.5: lab/echo, gpt-5.5-pro: lab/thinker, claude-sonnet-5: lab/echo,
      claude-opus-5: lab/thinker } }\n`,
  },
);
const openai = createOpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key });
const anthropic = createAnthropic({ baseURL: `${server.url}/anthropic/v1`, apiKey: server.key });

interface Vendor {
  readonly model: (name: string) => LanguageModel;
  /** Names of a model that talks and of one that thinks. */
  readonly names: readonly [talker: string, thinker: string];
  readonly withKey: (apiKey: string) => LanguageModel;
  /** Whether the wire has a place for what a model thought. */
  readonly showsThoughts: boolean;
}

const vendors: Readonly<Record<string, Vendor>> = {
  '@ai-sdk/openai, responses': {
    model: (name) => openai.responses(name),
    names: ['gpt-5.5', 'gpt-5.5-pro'],
    withKey: (apiKey) => createOpenAI({ baseURL: `${server.url}/openai/v1`, apiKey }).responses('gpt-5.5'),
    showsThoughts: true,
  },
  '@ai-sdk/openai, chat completions': {
    model: (name) => openai.chat(name),
    names: ['gpt-5.5', 'gpt-5.5-pro'],
    withKey: (apiKey) => createOpenAI({ baseURL: `${server.url}/openai/v1`, apiKey }).chat('gpt-5.5'),
    showsThoughts: false,
  },
  '@ai-sdk/anthropic': {
    model: (name) => anthropic(name),
    names: ['claude-sonnet-5', 'claude-opus-5'],
    withKey: (apiKey) =>
      createAnthropic({ baseURL: `${server.url}/anthropic/v1`, apiKey })('claude-sonnet-5'),
    showsThoughts: true,
  },
};

const place = jsonSchema<{ city: string; days: number }>({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
  additionalProperties: false,
});
const weather = tool({
  description: 'Tells the weather.',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: ({ city }) => `sun in ${city}`,
});

for (const [
  name,
  {
    model: modelOf,
    names: [talker, thinkerName],
    withKey,
    showsThoughts,
  },
] of Object.entries(vendors))
  suite(name, () => {
    const model = modelOf(talker);
    const once = { model, maxRetries: 0 } as const;

    test('generateText and streamText give the same text, reason and usage', async () => {
      const whole = await generateText({ ...once, prompt: 'Hi' });
      assert.deepEqual([whole.text, whole.finishReason], ['Hello there.', 'stop']);
      assert.deepEqual([whole.usage.inputTokens, whole.usage.outputTokens], [16, 5]);
      const streamed = streamText({ ...once, prompt: 'Hi' });
      const pieces: string[] = [];
      for await (const piece of streamed.textStream) pieces.push(piece);
      assert.deepEqual(pieces, ['Hello', ' there.']);
      assert.equal(await streamed.finishReason, 'stop');
      const usage = await streamed.usage;
      assert.deepEqual([usage.inputTokens, usage.outputTokens], [16, 5]);
    });

    test('tools are run, whole and streamed', async () => {
      const options = { ...once, prompt: 'Weather?', tools: { weather }, stopWhen: isStepCount(3) };
      const whole = await generateText(options);
      assert.deepEqual([whole.text, whole.steps.length], ['It says: sun in Bern', 2]);
      const streamed = streamText(options);
      assert.equal(await streamed.text, 'It says: sun in Bern');
      assert.deepEqual(
        (await streamed.steps).map(({ finishReason }) => finishReason),
        ['tool-calls', 'stop'],
      );
    });

    test('an object comes by its schema', async () => {
      const { output } = await generateText({
        ...once,
        prompt: 'Where?',
        output: Output.object({ schema: place }),
      });
      assert.deepEqual(output, { city: 'Bern', days: 2 });
      const streamed = streamText({ ...once, prompt: 'Where?', output: Output.object({ schema: place }) });
      assert.deepEqual(await streamed.output, { city: 'Bern', days: 2 });
    });

    test('settings, instructions and an image reach the model', async () => {
      // Of models that reason by their names, the client sends no temperature.
      await generateText({
        model: modelOf('lab/echo'),
        maxRetries: 0,
        system: 'Be brief.',
        maxOutputTokens: 64,
        temperature: 0.5,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image', image: Buffer.from(pixel, 'base64'), mediaType: 'image/png' },
            ],
          },
        ],
      });
      const request = asked.at(-1);
      assert.deepEqual(request?.system, ['Be brief.']);
      assert.deepEqual([request?.outputTokensMax, request?.temperature], [64, 0.5]);
      const [turn] = request?.turns ?? [];
      assert.deepEqual(turn?.role === 'user' ? turn.parts.map(({ type }) => type) : null, ['text', 'image']);
    });

    test('what a model thought is shown where the wire has a place for it', async () => {
      const thinking = { model: modelOf(thinkerName), prompt: 'What is a kea?', maxRetries: 0 } as const;
      const whole = await generateText({ ...thinking, ...thinkingOptions });
      assert.equal(whole.text, 'A parrot.');
      assert.equal(whole.reasoningText ?? '', showsThoughts ? 'Keas are parrots.' : '');
      const streamed = streamText({ ...thinking, ...thinkingOptions });
      assert.equal((await streamed.reasoningText) ?? '', showsThoughts ? 'Keas are parrots.' : '');
    });

    test('a wrong key is an error of the client with its status', async () => {
      const error = await rejection(
        generateText({ model: withKey('svc-wrong'), prompt: 'Hi', maxRetries: 0 }),
        APICallError as never,
      );
      assert.equal((error as APICallError).statusCode, 401);
    });
  });

const thinkingOptions = {
  providerOptions: {
    openai: { reasoningSummary: 'auto', reasoningEffort: 'low' },
    anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } },
  },
};

test('@ai-sdk/openai embeds', async () => {
  const model = openai.embedding('svc-embed-v1-0.6b');
  const { embeddings, usage } = await embedMany({ model, values: ['a kea', 'a parrot'], maxRetries: 0 });
  assert.equal(embeddings.length, 2);
  assert.ok((embeddings[0]?.length ?? 0) > 100 && usage.tokens > 0);
});
