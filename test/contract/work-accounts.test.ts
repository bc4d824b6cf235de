import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ModelRequest } from '../../src/features/models/model.ts';
import { nativeQuestions, openAiBody, state } from '../support/examples.ts';
import { evenScore, scriptedEngine } from '../support/engines.ts';
import { finish, says, text } from '../support/models.ts';
import { scriptedProvider } from '../support/providers.ts';
import { startServer } from '../support/server.ts';

const keys = { acme: 'key-of-acme-0123456789-1', other: 'key-of-other-0123456789-2' };
type Account = keyof typeof keys;

const messages = [{ role: 'user', content: 'What is a kea?' }];
const turns = [...messages, { role: 'assistant', content: 'A parrot.' }, { role: 'user', content: 'Where?' }];
const decision = { model: 'svc-decider-v1-27b', state, questions: nativeQuestions };

suite('whatever decides or answers knows for which account', () => {
  test('decisions, chats, messages and agents, whatever steps stand between', async (t) => {
    const decided: (string | undefined)[] = [];
    const asked: ModelRequest[] = [];
    const lab = scriptedProvider('lab', {
      a: {
        answer: (request, signal) => {
          asked.push(request);
          return says([text('A parrot.')], finish())(request, signal);
        },
      },
    });
    const server = await startServer(t, {
      config: JSON.stringify({
        keys: Object.entries(keys).map(([account, key]) => ({ key, account })),
        rate_limits: { enabled: false },
      }),
      decisions: scriptedEngine({
        score: (states, questions, signal, account) => {
          decided.push(account);
          return evenScore(states, questions, signal);
        },
      }),
      providers: [lab],
    });
    const send = async (account: Account, path: string, body: object) => {
      const headers = { authorization: `Bearer ${keys[account]}` };
      const reply = await server.post(path, body, headers);
      assert.equal(reply.status, 200, `${path}: ${await reply.text()}`);
    };
    for (const account of ['acme', 'other'] as const) {
      decided.length = 0;
      asked.length = 0;
      await send(account, '/v1/decisions', decision);
      await send(account, '/v1/systemone', decision);
      await send(account, '/openai/v1/decisions', openAiBody);
      assert.deepEqual(decided, [account, account, account]);
      await send(account, '/router/v1/chat/completions', { model: 'lab/a', messages });
      await send(account, '/v1/messages', { model: 'lab/a', max_tokens: 9, messages });
      await send(account, '/v1/responses', { model: 'lab/a', input: 'What is a kea?' });
      await send(account, '/v1/chat/completions', { model: 'svc', messages: turns });
      assert.ok(asked.length >= 4, String(asked.length));
      for (const request of asked) assert.equal(request.account, account);
    }
  });
});
