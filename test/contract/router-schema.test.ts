import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { finish, says, scriptedModels, text } from '../support/models.ts';
import { startRouter } from '../support/router.ts';
import { until } from '../support/until.ts';

const path = '/router/v1/chat/completions';
const basic = { messages: [{ role: 'user', content: 'Hello' }] };

suite('chat completions with a schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  const body = { model: 'a/b', messages: basic.messages, response_format };

  /** A model that cannot enforce a schema and says these things one after the other. */
  const speaking = (...answers: readonly string[]) => {
    let asked = 0;
    return scriptedModels({
      'a/b': {
        capabilities: { jsonSchema: false },
        answer: (...of) => says([text(answers[asked++] ?? '')], finish())(...of),
      },
    });
  };

  test('an answer that does not fit is asked for again, and only the valid one is sent', async (t) => {
    for (const stream of [false, true]) {
      const spoken = speaking('Sure! Here it is', '```json\n{"a": 1}\n```');
      const other = await startRouter(t, { models: spoken });
      const received = await (await other.post(path, { ...body, stream })).text();
      assert.ok(received.includes('{\\"a\\": 1}') && !received.includes('Sure'), received);
      assert.equal(spoken.requests.length, 2);
      // A request is recorded once its answer was handed over, which the caller may have read by then.
      await until(() => other.records.length > 0);
      assert.equal(other.records[0]?.billing?.outputTokens, 10, 'both attempts are billed');
    }
  });

  test('after three attempts it is 502 before anything is sent, and a schema that is none is 400', async (t) => {
    const spoken = speaking();
    const { post: send } = await startRouter(t, { models: spoken });
    const failed = await send(path, { ...body, stream: true });
    assert.equal(failed.status, 502);
    assert.equal(failed.headers.get('x-should-retry'), 'false');
    await failed.text();
    assert.equal(spoken.requests.length, 3);
    const broken = { type: 'json_schema', json_schema: { schema: { type: 'nothing' } } };
    const refused = await send(path, { ...body, response_format: broken });
    assert.equal(refused.status, 400);
    const { error } = (await refused.json()) as { error: { param: string } };
    assert.equal(error.param, 'response_format.json_schema.schema');
  });
});
