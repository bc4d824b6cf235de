import assert from 'node:assert/strict';
import { suite } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { model, startSmolLm2, writeSmolLm2WithFunctions } from '../support/smollm2.ts';
import { longTest } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { skipsWeights } from '../support/weights.ts';

/**
 * The tool runner of Anthropic's client over weights that were trained. SmolLM2-135M was never taught to call a function, so each
 * turn has to, a grammar holds it to the form, and the runner ends after two turns.
 */

const asked = {
  model,
  max_tokens: 60,
  temperature: 0,
  messages: [{ role: 'user' as const, content: 'How is the weather in Paris today?' }],
  tool_choice: { type: 'any' as const, disable_parallel_tool_use: true },
  max_iterations: 2,
};
const cities = ['Paris', 'London', 'Rome'];

suite('SmolLM2 behind the tool runner of Anthropic’s client', { skip: skipsWeights }, () => {
  longTest('calls a tool, gets its result and calls again, streamed as it is whole', async (t) => {
    const path = await writeSmolLm2WithFunctions(await temporaryFolder(t));
    const { url, key } = await startSmolLm2(t, {}, path);
    const client = new Anthropic({
      baseURL: `${url}/anthropic`,
      apiKey: key,
      authToken: null,
      maxRetries: 0,
    });
    const run = async (stream: boolean) => {
      const named: string[] = [];
      const weather = betaTool({
        name: 'weather',
        description: 'The weather of a city.',
        inputSchema: {
          type: 'object',
          properties: { city: { type: 'string', enum: cities } },
          required: ['city'],
          additionalProperties: false,
        },
        run({ city }) {
          named.push(city);
          return 'Sunny, 24 degrees.';
        },
      });
      const runner = client.beta.messages.toolRunner({
        ...asked,
        tools: [weather],
        stream,
      });
      const last = await runner.runUntilDone();
      assert.equal(last.stop_reason, 'tool_use');
      const results = JSON.stringify(runner.params.messages).match(/"type":"tool_result"/g) ?? [];
      return { named, results: results.length };
    };
    const whole = await run(false);
    assert.ok(
      whole.named.length >= 1 && whole.named.every((city) => cities.includes(city)),
      whole.named.join(),
    );
    assert.ok(whole.results >= 1);
    assert.deepEqual(await run(true), whole);
  });
});
