import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { backends, startGateway, toOpenAi } from '../support/gateway.ts';
import { parseMessageEvents, readMessageEvents } from '../support/messages-grammar.ts';
import { startOpenAiTalker } from '../support/upstream-talk.ts';
import { until } from '../support/until.ts';

/** The router over real providers that talk to scripted servers on real ports. */

const basic = { model: 'lab/talker', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] };
const sayHello = () => ({ deltas: ['Grüß ', 'Gott ', '👋', '!'] });
const chatPath = '/router/v1/chat/completions';

for (const { about, start } of backends) {
  suite(`the router ${about}`, () => {
    test('answers the same as JSON and as a stream, on both of its wires', async (t) => {
      const { gateway } = await start(t, { answer: sayHello });
      const whole = (await (await gateway.post('/v1/messages', basic)).json()) as {
        content: { text: string }[];
        usage: Record<string, unknown>;
      };
      const wire = await (await gateway.post('/v1/messages', { ...basic, stream: true })).text();
      const read = readMessageEvents(parseMessageEvents(wire));
      assert.equal(whole.content[0]?.text, 'Grüß Gott 👋!');
      assert.equal(read.content[0]?.['text'], 'Grüß Gott 👋!');
      assert.deepEqual(
        [whole.usage['input_tokens'], whole.usage['output_tokens'], whole.usage['cache_read_input_tokens']],
        [16, 8, 4],
      );
      const chat = (await (await gateway.post(chatPath, basic)).json()) as {
        choices: { message: { content: string } }[];
        usage: { prompt_tokens: number };
      };
      assert.equal(chat.choices[0]?.message.content, 'Grüß Gott 👋!');
      assert.equal(chat.usage.prompt_tokens, 20);
      for (const { billing } of gateway.records) {
        assert.deepEqual([billing?.inputTokens, billing?.outputTokens], [20, 8]);
      }
    });

    test('hands on every delta as it comes', async (t) => {
      const deltas = Array.from({ length: 24 }, (_, index) => `${index} `);
      const { gateway } = await start(t, { answer: () => ({ deltas }), pauseMs: 4 });
      const response = await gateway.post('/v1/messages', { ...basic, stream: true });
      let pieces = 0;
      let wire = '';
      for await (const piece of response.body ?? []) {
        pieces++;
        wire += Buffer.from(piece as Uint8Array).toString('utf8');
      }
      assert.equal(readMessageEvents(parseMessageEvents(wire)).content[0]?.['text'], deltas.join(''));
      assert.ok(pieces > 3, 'nothing was held back to the end');
    });

    test('tells a cut stream as an error event, never as an end, and keeps serving', async (t) => {
      const { gateway } = await start(t, { answer: sayHello, cutAfter: 2, pauseMs: 5 });
      for (let round = 0; round < 3; round++) {
        const wire = await (await gateway.post('/v1/messages', { ...basic, stream: true })).text();
        const read = readMessageEvents(parseMessageEvents(wire));
        assert.equal((read.error as { error?: { type: string } }).error?.type, 'api_error');
        assert.ok(!wire.includes('message_stop'));
        const chat = await (await gateway.post(chatPath, { ...basic, stream: true })).text();
        assert.ok(chat.includes('"error"') && !chat.includes('"finish_reason":"'));
      }
      assert.equal((await gateway.post('/v1/messages', basic)).status, 502, 'half an answer is none');
      await until(() => gateway.records.length > 6);
      for (const { billing } of gateway.records.slice(0, 6)) assert.ok((billing?.outputTokens ?? 0) > 0);
      assert.equal(gateway.records[6]?.billing, null);
    });

    test('is 429 with a wait where the backend is busy, and tells nothing of it', async (t) => {
      const { gateway } = await start(t, { answer: sayHello, status: 529 });
      for (const stream of [false, true]) {
        const response = await gateway.post('/v1/messages', { ...basic, stream });
        assert.equal(response.status, 429);
        assert.match(String(response.headers.get('retry-after')), /^[1-9]\d*$/);
        const body = (await response.json()) as { error: { type: string; message: string } };
        assert.equal(body.error.type, 'overloaded_error');
        assert.ok(!body.error.message.includes('127.0.0.1'));
      }
    });

    test('stops the call of a client that leaves, before and after the first output', async (t) => {
      const { gateway, talker } = await start(t, {
        answer: () => ({ deltas: Array.from({ length: 500 }, () => 'x') }),
        pauseMs: 20,
      });
      const leave = new AbortController();
      const headers = { 'x-api-key': gateway.key };
      const options = { signal: leave.signal, headers };
      const response = await gateway.post('/v1/messages', { ...basic, stream: true }, options);
      await response.body?.getReader().read();
      assert.ok(talker.busy > 0);
      leave.abort();
      await talker.left;
      await until(() => talker.busy === 0);
      const early = new AbortController();
      const waiting = gateway.post('/v1/messages', basic, { signal: early.signal, headers });
      await until(() => talker.busy > 0);
      early.abort();
      await assert.rejects(waiting);
      await until(() => talker.busy === 0);
    });

    test('100 slow streams at once lose, repeat and reorder nothing', async (t) => {
      const deltas = Array.from({ length: 32 }, (_, index) => `${index},`);
      const { gateway } = await start(t, {
        answer: ({ last }) => ({ deltas: deltas.map((delta) => `${last}:${delta}`) }),
        pauseMs: 20,
      });
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const own = `#${index}`;
          const messages = [{ role: 'user', content: own }];
          const isChat = index % 2 === 1;
          const body = { ...basic, messages, stream: true };
          const wire = await (await gateway.post(isChat ? chatPath : '/v1/messages', body)).text();
          const text = isChat
            ? chatText(wire)
            : readMessageEvents(parseMessageEvents(wire)).content[0]?.['text'];
          assert.equal(text, deltas.map((delta) => `${own}:${delta}`).join(''));
        }),
      );
    });
  });
}

test('a backend that is down is passed over for the next name of the same model', async (t) => {
  const talker = await startOpenAiTalker(t, { answer: sayHello });
  const gateway = await startGateway(t, [
    toOpenAi('lab', talker.url),
    toOpenAi('gone', 'http://127.0.0.1:9/v1'),
  ]);
  const gone = await gateway.post('/v1/messages', { ...basic, model: 'gone/talker' });
  assert.equal(gone.status, 429);
  assert.ok(gateway.givenUp.some(({ id }) => id === 'gone/talker'));
  assert.equal((await gateway.post('/v1/messages', basic)).status, 200);
});

function chatText(wire: string): string {
  return wire
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as { choices: { delta: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');
}
