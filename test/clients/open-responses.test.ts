import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createOpenResponses } from '@ai-sdk/open-responses';
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai';
import { startAgentServer } from './agent.fixture.ts';

/** The AI SDK with its provider of the Open Responses schema, unmodified. */

const server = await startAgentServer({ after });
const provider = createOpenResponses({
  name: 'nestor',
  url: `${server.url}/v1/responses`,
  apiKey: server.key,
});
const model = provider('lab/echo');
const weather = tool({
  description: 'Tells the weather.',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: ({ city }) => `sun in ${city}`,
});

suite('@ai-sdk/open-responses', () => {
  test('generateText', async () => {
    const { text, finishReason, usage } = await generateText({ model, prompt: 'Hi', maxRetries: 0 });
    assert.deepEqual([text, finishReason], ['Hello there.', 'stop']);
    assert.deepEqual([usage.inputTokens, usage.outputTokens], [16, 5]);
  });

  test('streamText', async () => {
    const { textStream, finishReason } = streamText({ model, prompt: 'Hi', maxRetries: 0 });
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    assert.deepEqual(pieces, ['Hello', ' there.']);
    assert.equal(await finishReason, 'stop');
  });

  test('tools, whole and streamed', async () => {
    const options = {
      model,
      prompt: 'Weather?',
      tools: { weather },
      stopWhen: isStepCount(3),
      maxRetries: 0,
    };
    const whole = await generateText(options);
    assert.equal(whole.text, 'It says: sun in Bern');
    assert.equal(whole.steps.length, 2);
    const streamed = streamText(options);
    assert.equal(await streamed.text, 'It says: sun in Bern');
  });
});
