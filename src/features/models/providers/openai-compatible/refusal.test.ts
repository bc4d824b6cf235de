import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { isLimitBeyondContext, readRefusal, noCompatibility, withoutDropped } from './refusal.ts';

const sent: JsonObject = {
  model: 'm',
  messages: [],
  max_tokens: 10,
  temperature: 0.5,
  top_k: 4,
  seed: 1,
  reasoning_effort: 'none',
  stream_options: { include_usage: true },
  response_format: { type: 'json_schema', json_schema: { name: 'n' } },
};
const read = (message: string, param: string | null = null) =>
  readRefusal(
    { error: { message, type: 'invalid_request_error', param, code: null } },
    sent,
    noCompatibility,
  );

suite('what a refusal shows', () => {
  test('fields that are refused, in the words of several servers', () => {
    const words: Readonly<Record<string, string>> = {
      'Unrecognized request argument supplied: top_k': 'top_k',
      "Unsupported value: 'temperature' does not support 0.5 with this model.": 'temperature',
      "property 'seed' is unsupported": 'seed',
      'Unknown name "stream_options": Cannot find field.': 'stream_options',
    };
    for (const [message, field] of Object.entries(words)) {
      assert.deepEqual([...(read(message)?.dropped ?? [])], [field], message);
    }
    const pydantic = { object: 'error', message: "Extra inputs are not permitted: 'top_k'", code: 400 };
    assert.deepEqual([...(readRefusal(pydantic, sent, noCompatibility)?.dropped ?? [])], ['top_k']);
  });

  test('the other name of the limit, once', () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const first = read(message, 'max_tokens');
    assert.equal(first?.quirks.limit, 'max_completion_tokens');
    const refused = { error: { message: 'max_completion_tokens is not supported' } };
    assert.equal(readRefusal(refused, { max_completion_tokens: 10 }, first ?? noCompatibility), null);
  });

  test('the longest answer, where a longer one is refused', () => {
    const asked = { ...sent, max_tokens: 100_000 };
    const words: Readonly<Record<string, number>> = {
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.': 16_384,
      'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]': 8_192,
      '`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model': 32_768,
    };
    for (const [message, most] of Object.entries(words)) {
      const error = { error: { message } };
      assert.equal(readRefusal(error, asked, noCompatibility)?.outputTokensMax, most, message);
      assert.equal(isLimitBeyondContext(error), false, message);
    }
    const left = { error: { message: 'max_tokens must be less than or equal to 15309 for this prompt' } };
    assert.equal(readRefusal(left, asked, noCompatibility), null);
  });

  test('a limit that does not fit behind the prompt, and not a prompt that is too long', () => {
    const beyond = [
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 17459 input tokens (32000 > 32768 - 17459).",
      "This model's maximum context length is 8192 tokens. However, you requested 32010 tokens (10 in the messages, 32000 in the completion).",
    ];
    for (const message of beyond) assert.equal(isLimitBeyondContext({ error: { message } }), true, message);
    const long =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
    assert.equal(isLimitBeyondContext({ error: { message: long } }), false);
  });

  test('reasoning that is missing, once', () => {
    const words = [
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
      'The `reasoning_content` in the thinking mode must be passed back to the API.',
      'Missing `reasoning_content` field in the assistant message at message index 2.',
    ];
    for (const message of words) {
      const known = read(message);
      assert.equal(known?.quirks.reasoningBack, true, message);
      assert.equal(readRefusal({ error: { message } }, sent, known ?? noCompatibility), null);
    }
  });

  test('a signature that is missing, once, also in the list that Gemini makes of an error', () => {
    const message =
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.';
    const known = readRefusal([{ error: { code: 400, message } }], sent, noCompatibility);
    assert.equal(known?.quirks.marksUnsigned, true);
    assert.equal(readRefusal([{ error: { message } }], sent, known ?? noCompatibility), null);
  });

  test('the words of the server behind OpenRouter', () => {
    const raw = '{"error":{"message":"thinking is enabled but reasoning_content is missing at index 3"}}';
    const error = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'M' } };
    assert.equal(readRefusal({ error }, sent, noCompatibility)?.quirks.reasoningBack, true);
  });

  test('an answer in one piece that is refused, once', () => {
    const words = [
      'parameter.enable_thinking must be set to false for non-streaming calls',
      'This model only support stream mode, please enable the stream parameter to access the model.',
    ];
    for (const message of words) {
      const known = read(message);
      assert.equal(known?.quirks.streamsOnly, true, message);
      assert.equal(readRefusal({ error: { message } }, sent, known ?? noCompatibility), null);
    }
  });

  test('a value of a scale, and not the scale', () => {
    const known = read("Unsupported value: 'reasoning_effort' does not support 'none'") ?? noCompatibility;
    assert.equal('reasoning_effort' in withoutDropped(sent, known), false);
    assert.equal('reasoning_effort' in withoutDropped({ ...sent, reasoning_effort: 'low' }, known), true);
  });

  test('a schema beside json_object, where a server lists its types in the words of pydantic', () => {
    const message =
      "1 validation error:\n  {'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}";
    assert.equal(read(message)?.quirks.format, 'json_object_schema');
    const beside = { ...sent, response_format: { type: 'json_object', schema: {} } };
    const extra = { error: { message: 'response_format.schema: Extra inputs are not permitted' } };
    assert.equal(readRefusal(extra, beside, noCompatibility)?.quirks.format, 'json_object');
  });

  test('formats step by step, but nothing from a schema that is refused', () => {
    const first = read('response_format json_schema is not supported');
    assert.equal(first?.quirks.format, 'json_object');
    const plain = { ...sent, response_format: { type: 'json_object' } };
    const error = { error: { message: 'response_format is not supported' } };
    assert.equal(readRefusal(error, plain, noCompatibility)?.quirks.format, 'none');
    assert.equal(
      read("Invalid schema for response_format 'n': 'oneOf' is not permitted.", 'response_format'),
      null,
    );
  });

  test('nothing from what is about something else', () => {
    assert.equal(read('frequency_penalty is not supported'), null, 'it was not sent');
    assert.equal(read("Invalid 'temperature': decimal above maximum value"), null, 'it is the value');
    assert.equal(read('temperature: Input should be less than or equal to 0.4'), null, 'it is the value');
    assert.equal(read('messages: image input is not supported'), null);
    for (const body of [null, 'x', {}, { error: {} }, []])
      assert.equal(readRefusal(body, sent, noCompatibility), null);
  });

  test('without compatibility the body stays as it is', () => {
    assert.equal(withoutDropped(sent, noCompatibility), sent);
  });
});
