import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, finish, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { pollEnd } from '../support/until.ts';

const code =
  "import os\nos.makedirs('share', exist_ok=True)\nopen('share/a.txt', 'w').write('kept')\nprint(6 * 7)";

/** Runs the code once, then says what came of it. */
const runsCode: Answer = async function* runs(request) {
  const [last] = request.turns.slice(-1);
  if (last?.role === 'tool') {
    yield [text(JSON.stringify(last.results).includes('42') ? 'It is 42.' : 'It failed.')];
    yield finish();
    return;
  }
  yield call('c1', 'sandbox', JSON.stringify({ language: 'python', code }));
  yield finish('tool-calls');
};

test('a whole server runs code of the agent in a real sandbox and hands its file on', async (t) => {
  const providers = [scriptedProvider('lab', { coder: { answer: runsCode } })];
  const server = await startServer(t, { providers, env: { NESTOR_SANDBOX_RUNNER: 'auto' } });
  const body = { model: 'lab/coder', input: 'What is 6 x 7?', tools: [{ type: 'sandbox' }], max_steps: 2 };
  // A runner is looked for while the server serves.
  const response = await pollEnd(
    () => server.post('/v1/responses', body),
    ({ status }) => status !== 400,
  );
  const answer = (await response.json()) as {
    id: string;
    status: string;
    output: readonly { type: string; stdout?: string; file_id?: string; filename?: string }[];
  };
  assert.equal(answer.status, 'completed', JSON.stringify(answer));
  assert.deepEqual(
    answer.output.map(({ type }) => type),
    ['sandbox_results', 'share_file', 'message'],
  );
  assert.equal(answer.output[0]?.stdout, '42\n');
  assert.match(JSON.stringify(answer.output[2]), /It is 42\./);
  const headers = { authorization: `Bearer ${server.key}` };
  const file = `${server.url}/v1/responses/${answer.id}/files/${answer.output[1]?.file_id}/content`;
  assert.equal(await (await fetch(file, { headers })).text(), 'kept');
});
