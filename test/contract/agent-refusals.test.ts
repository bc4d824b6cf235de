import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startAgent } from '../support/agent.ts';
import { finish, says, scriptedModels, text } from '../support/models.ts';
import { scriptedSearch } from '../support/tools.ts';
import { base, rows } from './agent-refusals.fixture.ts';

/** Every refusal of contract 7.1 to 7.3: code, message, param. */

const agent = await startAgent(
  { after },
  {
    models: scriptedModels({
      'lab/a': says([text('ok')], finish()),
      'lab/plain': { capabilities: { tools: false, images: false }, answer: says([text('ok')], finish()) },
    }),
    tools: { search: scriptedSearch(() => [], ['web']) },
  },
);
for (const [about, list] of Object.entries(rows)) {
  suite(`refusals of the agent: ${about}`, () => {
    for (const [body, code, message, param] of list) {
      test(JSON.stringify(body).slice(0, 140), async () => {
        const error = await agent.refused(body);
        assert.deepEqual([error['code'], error['param'], error['type']], [code, param, 'invalid_request']);
        if (typeof message === 'string') assert.equal(error['message'], message);
        else assert.match(String(error['message']), message);
      });
    }
  });
}

test('what is no JSON is refused, with a param that is a text', async () => {
  for (const body of ['', '{', '[]']) {
    const error = await agent.refused(body);
    assert.deepEqual([error['code'], error['param']], ['invalid_json', '']);
  }
});

test('null on an optional field means absent, and fields without effect are accepted', async () => {
  const fields = [
    'models preset instructions language_preference max_output_tokens max_steps max_tool_calls reasoning',
    'response_format text stream stream_options background store previous_response_id temperature top_p',
    'presence_penalty frequency_penalty parallel_tool_calls tool_choice tools skills metadata truncation include',
    'prompt_cache_key prompt_cache_retention safety_identifier user service_tier top_logprobs conversation prompt',
  ].flatMap((line) => line.split(' '));
  const nulls = Object.fromEntries(fields.map((name) => [name, null]));
  const told = await agent.ask({ ...base, ...nulls });
  assert.deepEqual(
    [told['temperature'], told['tool_choice'], told['metadata'], told['truncation'], told['max_steps']],
    [1, 'auto', {}, 'disabled', 1],
  );
  const full = await agent.ask({
    ...base,
    include: ['x'],
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    safety_identifier: 's',
    user: 'u',
    service_tier: 'flex',
    top_logprobs: 3,
    stream_options: { include_obfuscation: false },
    text: { verbosity: 'low' },
    metadata: { a: 'b' },
  });
  assert.deepEqual(
    [full['prompt_cache_key'], full['safety_identifier'], full['user'], full['service_tier']],
    ['k', 's', 'u', 'default'],
  );
  assert.deepEqual(full['metadata'], { a: 'b' });
});
