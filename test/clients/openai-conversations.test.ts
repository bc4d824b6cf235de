import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Conversations by the unmodified OpenAI client. */

const asked: Parameters<Answer>[0][] = [];
const answers: Answer = (request, signal) => {
  asked.push(request);
  const last = request.turns.at(-1);
  const part = last?.role === 'user' ? last.parts.at(-1) : undefined;
  const words = part?.type === 'text' ? part.text : '';
  if (words === 'fail') throw new Error('no backend');
  if (words === 'wait') return waits(request, signal);
  return words === 'call'
    ? says(call('c1', 'weather', '{}'), finish('tool-calls'))(request, signal)
    : says([text(`turn ${request.turns.length}`)], finish())(request, signal);
};
/** Resolves to what lets the next answer go on, when that has begun. */
const held = (): Promise<() => void> => new Promise((resolve) => (onWait = resolve));
let onWait: (release: () => void) => void = () => {};
async function* waits(...[request, signal]: Parameters<Answer>): ReturnType<Answer> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
    onWait(resolve);
  });
  yield* says([text(`turn ${request.turns.length}`)], finish())(request, signal);
}
const keys = ['mine', 'other'].map((account) => ({ key: `key-of-${account}-0123456789`, account }));
const server = await startServer(
  { after },
  {
    providers: [scriptedProvider('lab', { talk: { answer: answers } })],
    config: JSON.stringify({ keys }),
  },
);
const [client, stranger] = [0, 1].map(
  (at) => new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: keys[at]?.key ?? '', maxRetries: 0 }),
) as [OpenAI, OpenAI];
const model = 'lab/talk';
const isGone = (error: unknown) => error instanceof OpenAI.NotFoundError;

const textsIn = async (id: string): Promise<readonly string[]> => {
  const texts: string[] = [];
  for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 2 }))
    texts.push(
      item.type === 'message'
        ? item.content.map((part) => ('text' in part ? part.text : part.type)).join()
        : item.type,
    );
  return texts;
};

suite('conversations of OpenAI', () => {
  test('are made, told, changed and deleted, for their account alone', async () => {
    const made = await client.conversations.create({ metadata: { topic: 'birds' } });
    assert.match(made.id, /^conv_/);
    assert.deepEqual([made.object, made.metadata], ['conversation', { topic: 'birds' }]);
    assert.deepEqual(await client.conversations.retrieve(made.id), made);
    const changed = await client.conversations.update(made.id, { metadata: { topic: 'keas' } });
    assert.deepEqual([changed.id, changed.metadata], [made.id, { topic: 'keas' }]);
    await assert.rejects(stranger.conversations.retrieve(made.id), isGone);
    await assert.rejects(stranger.conversations.update(made.id, { metadata: {} }), isGone);
    await assert.rejects(stranger.conversations.delete(made.id), isGone);
    await assert.rejects(stranger.conversations.items.list(made.id), isGone);
    await assert.rejects(stranger.responses.create({ model, input: 'Hi', conversation: made.id }), isGone);
    assert.deepEqual(await client.conversations.delete(made.id), {
      id: made.id,
      object: 'conversation.deleted',
      deleted: true,
    });
    await assert.rejects(client.conversations.retrieve(made.id), isGone);
    await assert.rejects(client.responses.create({ model, input: 'Hi', conversation: made.id }), isGone);
  });

  test('keep items in order, page by page', async () => {
    const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'one' }] });
    const added = await client.conversations.items.create(id, {
      items: [
        { role: 'assistant', content: 'two' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'three' }] },
      ],
    });
    assert.equal(added.data.length, 2);
    assert.deepEqual([added.first_id, added.last_id], [added.data[0]?.id, added.data[1]?.id]);
    assert.deepEqual(await textsIn(id), ['one', 'two', 'three']);
    const newest = await client.conversations.items.list(id, { limit: 1 });
    assert.deepEqual([newest.data[0]?.id, newest.has_more], [added.last_id, true]);
    await assert.rejects(
      client.conversations.items.list(id, { after: 'msg_gone' }),
      (error) => error instanceof OpenAI.BadRequestError && error.param === 'after',
    );
    const two = await client.conversations.items.retrieve(added.first_id, { conversation_id: id });
    assert.deepEqual(two, added.data[0]);
    assert.equal((await client.conversations.items.delete(added.first_id, { conversation_id: id })).id, id);
    assert.deepEqual(await textsIn(id), ['one', 'three']);
    await assert.rejects(
      client.conversations.items.retrieve(added.first_id, { conversation_id: id }),
      isGone,
    );
  });

  test('go on with responses, which read what was said and add to it', async () => {
    const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'one' }] });
    const first = await client.responses.create({ model, input: 'two', conversation: id });
    assert.deepEqual(first.conversation, { id });
    assert.equal(first.output_text, 'turn 1');
    const stream = client.responses.stream({ model, input: 'three', conversation: { id }, store: false });
    assert.equal((await stream.finalResponse()).output_text, 'turn 3');
    assert.deepEqual(await textsIn(id), ['one', 'two', 'turn 1', 'three', 'turn 3']);

    const tools: OpenAI.Responses.Tool[] = [
      { type: 'function', name: 'weather', parameters: {}, strict: false },
    ];
    const called = await client.responses.create({ model, input: 'call', tools, conversation: id });
    const [item] = called.output;
    assert.equal(item?.type, 'function_call');
    const result = { type: 'function_call_output', call_id: item.call_id, output: 'sun' } as const;
    await client.responses.create({ model, input: [result], tools, conversation: id });
    const turn = asked.at(-1)?.turns.findLast(({ role }) => role === 'tool');
    assert.deepEqual(turn?.role === 'tool' && turn.results[0]?.parts, [{ type: 'text', text: 'sun' }]);
    assert.deepEqual((await textsIn(id)).slice(5, 8), ['call', 'function_call', 'function_call_output']);

    await client.responses.create({ model, conversation: id });
    assert.equal((await textsIn(id)).length, 10);
  });

  test('are locked while a response goes on with them, and free when it has ended or was left', async () => {
    const { id } = await client.conversations.create({});
    const asks = { model, input: 'wait', conversation: id };
    const begun = held();
    const first = client.responses.create(asks);
    const release = await begun;
    await assert.rejects(client.responses.create({ ...asks, input: 'two' }), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.deepEqual([error.code, error.param], ['conversation_locked', 'conversation']);
      return true;
    });
    release();
    await first;
    assert.deepEqual(await textsIn(id), ['wait', 'turn 1']);

    const again = held();
    const leaving = new AbortController();
    const left = client.responses.create({ ...asks, stream: true }, { signal: leaving.signal });
    await again;
    leaving.abort();
    await assert.rejects(left.then((stream) => Array.fromAsync(stream)));
    await until(async () => {
      const next = await client.responses.create({ ...asks, input: 'next' }).catch(() => null);
      return next !== null;
    });
    assert.deepEqual(await textsIn(id), ['wait', 'turn 1', 'next', 'turn 3']);
    await assert.rejects(
      client.responses.create({
        ...asks,
        input: [{ type: 'message', role: 'nobody' as 'user', content: 'x' }],
      }),
    );
    await client.responses.create({ ...asks, input: 'after a refusal' });
  });

  test('get nothing of a response that failed, nor of a request that was refused', async () => {
    const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'one' }] });
    await assert.rejects(client.responses.create({ model, input: 'fail', conversation: id }));
    const refused = [
      { conversation: id, previous_response_id: 'resp_1' },
      { conversation: 5 },
      { conversation: id, input: [{ type: 'message', role: 'nobody', content: 'x' }] },
    ];
    for (const body of refused)
      await assert.rejects(
        client.responses.create({ model, input: 'x', ...(body as object) }),
        OpenAI.BadRequestError,
      );
    await assert.rejects(
      client.conversations.create({ items: [{ role: 'nobody' as 'user', content: 'x' }] }),
      OpenAI.BadRequestError,
    );
    await assert.rejects(
      client.conversations.items.create(id, {
        items: Array.from({ length: 21 }, () => ({ role: 'user', content: 'x' })),
      }),
      /at most 20/,
    );
    assert.deepEqual(await textsIn(id), ['one']);
  });
});
