import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  firstSettings,
  functionsExample,
  functionsProblem,
  toAgentRequest,
  toFollowingRequest,
} from './request.ts';

test('a request says no more than what was chosen', () => {
  assert.deepEqual(toAgentRequest(firstSettings, 'Why?', null), { preset: 'pro-search', input: 'Why?' });
});

test('a model, tools and functions have their fields, and so has what is followed', () => {
  const settings = {
    ...firstSettings,
    runsOn: 'model:lab/a:free',
    tools: ['web_search', 'sandbox'] as const,
    functions: functionsExample,
    instructions: ' Be brief. ',
    maxSteps: 3,
    background: true,
  };
  const output = { type: 'function_call_output', call_id: 'call_1', output: '7' } as const;
  const { tools, ...rest } = toAgentRequest(settings, [output], 'resp_1');
  assert.deepEqual(rest, {
    model: 'lab/a:free',
    input: [output],
    previous_response_id: 'resp_1',
    instructions: 'Be brief.',
    max_steps: 3,
    background: true,
  });
  assert.deepEqual(
    (tools as { type: string; name?: string }[]).map(({ type, name }) => [type, name]),
    [
      ['web_search', undefined],
      ['sandbox', undefined],
      ['function', 'get_weather'],
    ],
  );
});

test('functions that cannot be read are told before anything is sent', () => {
  assert.equal(functionsProblem(''), null);
  assert.equal(functionsProblem(functionsExample), null);
  assert.equal(functionsProblem('{"name":"one"}'), null);
  assert.match(functionsProblem('[{]') ?? '', /JSON/);
  assert.match(functionsProblem('[{"type":"function"}]') ?? '', /"name"/);
});

test('outputs go to the response that asked for them, with what it was asked with', () => {
  const outputs = [{ type: 'function_call_output', call_id: 'call_1', output: '7' }] as const;
  const response = {
    id: 'resp_1',
    status: 'requires_action',
    model: 'lab/a',
    error: null,
    incomplete_details: null,
    usage: null,
    background: false,
    store: true,
    previous_response_id: 'resp_0',
    instructions: null,
    max_steps: 2,
    tools: [{ type: 'function', name: 'get_weather' }],
    created_at: 1,
  } as const;
  const request = { preset: 'fast-search', input: 'Why?', previous_response_id: 'resp_0' };
  assert.deepEqual(toFollowingRequest(response, request, outputs), {
    preset: 'fast-search',
    input: outputs,
    previous_response_id: 'resp_1',
  });
  assert.deepEqual(toFollowingRequest(response, null, outputs), {
    model: 'lab/a',
    max_steps: 2,
    tools: response.tools,
    input: outputs,
    previous_response_id: 'resp_1',
  });
});
