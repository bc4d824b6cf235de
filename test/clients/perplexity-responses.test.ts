import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import Perplexity, { BadRequestError } from '@perplexity-ai/perplexity_ai';
import { startAgentServer } from './agent.fixture.ts';

/** The unmodified client of the upstream service against the agent. */

const server = await startAgentServer({ after });
const client = new Perplexity({ apiKey: server.key, baseURL: server.url, maxRetries: 0 });

suite('@perplexity-ai/perplexity_ai responses', () => {
  test('create with a preset searches and answers', async () => {
    const response = await client.responses.create({
      input: 'How do I revoke a token?',
      preset: 'fast-search',
    });
    assert.equal(response.status, 'completed');
    assert.equal(response.model, 'lab/echo');
    assert.ok(response.output.some(({ type }) => type === 'search_results'));
    assert.equal(response.usage?.tool_calls_details?.['search_web']?.invocation, 1);
    assert.equal(response.usage?.cost?.currency, 'USD');
  });

  test('create with stream', async () => {
    const stream = await client.responses.create({ input: 'Hi', model: 'lab/echo', stream: true });
    let text = '';
    let last = '';
    for await (const event of stream) {
      last = event.type;
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    assert.deepEqual([text, last], ['Hello there.', 'response.completed']);
  });

  test('models fall back', async () => {
    const response = await client.responses.create({ input: 'Hi', models: ['lab/echo', 'lab/slow'] });
    assert.equal(response.model, 'lab/echo');
  });

  test('refusals are its error classes and are not repeated', async () => {
    const patient = new Perplexity({ apiKey: server.key, baseURL: server.url, maxRetries: 3 });
    await assert.rejects(
      patient.responses.create({ input: 'Hi', model: 'lab/echo', max_steps: 11 }),
      (error) => error instanceof BadRequestError && error.message.includes('between 1 and 10'),
    );
  });
});
