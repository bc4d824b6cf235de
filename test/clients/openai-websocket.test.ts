import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { WebSocket } from 'ws';
import type { ModelEvent } from '../../src/features/models/model.ts';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Responses over a WebSocket, by the class that the unmodified OpenAI client has for it. */

const asked: Parameters<Answer>[0][] = [];
let onWait: () => void = () => {};
let onMuch: () => void = () => {};
let left = 0;
const answers: Answer = (request, signal) => {
  asked.push(request);
  const last = request.turns.at(-1);
  const part = last?.role === 'user' ? last.parts.at(-1) : undefined;
  const words = part?.type === 'text' ? part.text : '';
  if (words === 'wait') return waits(signal);
  if (words === 'much') return writesMuch();
  return words === 'call'
    ? says(call('c1', 'weather', '{"n":12345678901234567890}'), finish('tool-calls'))(request, signal)
    : says([text(`turn ${request.turns.length}`)], finish())(request, signal);
};
async function* writesMuch(): AsyncGenerator<readonly ModelEvent[]> {
  for (let index = 0; index < 200; index++) {
    await new Promise((resolve) => setImmediate(resolve));
    yield [text('x'.repeat(20_000))];
  }
  yield finish();
  onMuch();
}
async function* waits(signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
  onWait();
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      left++;
      reject(signal.reason as Error);
    });
  });
  yield [];
}
const options = {
  providers: [scriptedProvider('lab', { talk: { answer: answers } })],
  config: JSON.stringify({ rate_limits: { tables: { agent_qps: 1_000, agent_rpm: 1_000 } } }),
};
const server = await startServer({ after }, options);
const clientOf = (url: string, apiKey: string) =>
  new OpenAI({ baseURL: `${url}/openai/v1`, apiKey, maxRetries: 0 });
const client = clientOf(server.url, server.key);
const model = 'lab/talk';

type ServerEvent = OpenAI.Responses.ResponsesServerEvent;
type Create = Omit<OpenAI.Responses.ResponsesClientEvent.ResponseCreate, 'type'>;

/** A connection, and the events of a response that it asks for. */
async function connect(of: OpenAI = client) {
  const socket = new ResponsesWS(of);
  const events: ServerEvent[] = [];
  socket.on('event', (event) => events.push(event));
  socket.on('error', () => {});
  await until(
    () => socket.socket.readyState === WebSocket.OPEN || socket.socket.readyState === WebSocket.CLOSED,
  );
  const send = (body: Create) => socket.send({ type: 'response.create', model, ...body });
  const isEnd = ({ type }: ServerEvent) => /^response\.(?:completed|failed|incomplete)$|^error$/.test(type);
  const endOf = async (body: Create) => {
    const from = events.length;
    send(body);
    await until(() => events.slice(from).some(isEnd));
    return events.slice(from);
  };
  return { socket, events, send, endOf };
}

const responseIn = (events: readonly ServerEvent[]) => {
  const last = events.at(-1);
  assert.ok(last && 'response' in last, JSON.stringify(last));
  return last.response;
};
const textIn = (events: readonly ServerEvent[]) =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');

suite('responses over a WebSocket', () => {
  test('are the events of a stream, and go on from one another on one connection, stored or not', async () => {
    const { socket, endOf } = await connect();
    const first = await endOf({ input: 'one', store: false });
    assert.equal(first[0]?.type, 'response.created');
    assert.equal(textIn(first), 'turn 1');
    const { id } = responseIn(first);
    const second = await endOf({ input: 'two', store: false, previous_response_id: id });
    assert.equal(textIn(second), 'turn 3');
    const stored = await endOf({ input: 'three', previous_response_id: responseIn(second).id });
    assert.equal(textIn(stored), 'turn 5');
    const over = (await client.responses.retrieve(responseIn(stored).id)).output_text;
    assert.equal(over, 'turn 5');
    socket.close();
  });

  test('call functions of the client, with every digit', async () => {
    const { socket, endOf } = await connect();
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'function', name: 'weather', parameters: {}, strict: false },
    ];
    const called = responseIn(await endOf({ input: 'call', tools }));
    const [item] = called.output;
    assert.ok(item?.type === 'function_call');
    assert.equal(item.arguments, '{"n":12345678901234567890}');
    const output = { type: 'function_call_output', call_id: item.call_id, output: 'sun' } as const;
    const done = await endOf({ input: [output], tools, previous_response_id: called.id });
    assert.equal(textIn(done), 'turn 3');
    socket.close();
  });

  test('are prepared without a model, for those that follow', async () => {
    const { socket, endOf } = await connect();
    const before = asked.length;
    const warm = responseIn(await endOf({ input: 'first', generate: false }));
    assert.deepEqual([warm.status, warm.output, asked.length], ['completed', [], before]);
    const empty = responseIn(await endOf({ generate: false, instructions: 'Be brief.' }));
    assert.deepEqual([empty.status, asked.length], ['completed', before]);
    const next = await endOf({ input: 'second', previous_response_id: warm.id });
    assert.equal(textIn(next), 'turn 1');
    const said = asked.at(-1)?.turns.flatMap((turn) => (turn.role === 'user' ? turn.parts : []));
    assert.deepEqual(said, [
      { type: 'text', text: 'first' },
      { type: 'text', text: 'second' },
    ]);
    socket.close();
  });

  test('are told apart by their lanes, and come one after the other in one', async () => {
    const { socket, events, send } = await connect();
    const begun = new Promise<void>((resolve) => (onWait = resolve));
    send({ input: 'wait', stream_id: 'slow' });
    await begun;
    send({ input: 'never', stream_id: 'slow' });
    send({ input: 'now', stream_id: 'fast' });
    await until(() => events.some(({ type }) => type === 'response.completed'));
    const lanes = new Set(events.map((event) => ('stream_id' in event ? event.stream_id : null)));
    assert.deepEqual(lanes, new Set(['slow', 'fast']));
    assert.equal(textIn(events), 'turn 1');
    const before = left;
    socket.close();
    await until(() => left === before + 1, 'a client that leaves ends its response');
  });

  test('fail with the status and the words of the HTTP surface, and the connection goes on', async () => {
    const { socket, endOf, events } = await connect();
    const errorOf = async (body: Create) => (await endOf(body)).at(-1) as unknown as Record<string, unknown>;
    const gone = await errorOf({ input: 'x', previous_response_id: 'resp_gone' });
    assert.deepEqual([gone['type'], gone['status']], ['error', 400]);
    const { code } = gone['error'] as { readonly code: string };
    assert.equal(code, 'previous_response_not_found');
    const unknown = await errorOf({ input: 'x', model: 'nobody/knows', stream_id: 'a' });
    assert.equal(unknown['stream_id'], 'a');
    for (const raw of ['{', '[]', '{"type":"response.append"}', '{"type":"response.create","a":1,"a":2}']) {
      const from = events.length;
      socket.sendRaw(raw);
      await until(() => events.length > from);
      assert.equal((events.at(-1) as unknown as { readonly status: number }).status, 400);
    }
    const from = events.length;
    socket.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'Faster!' });
    await until(() => events.length > from);
    const steered = events.at(-1);
    assert.ok(steered?.type === 'response.steer.failed');
    assert.equal(steered.error.code, 'steering_not_supported');
    assert.equal(textIn(await endOf({ input: 'still here' })), 'turn 1');
    socket.close();
  });

  test('are sent no faster than they are read, and whole', async () => {
    const { socket, events, send } = await connect();
    const connection = (socket.socket as unknown as { readonly platformSocket: WebSocket }).platformSocket;
    connection.pause();
    const end = new Promise<void>((resolve) => (onMuch = resolve));
    send({ input: 'much' });
    await end;
    assert.deepEqual(events, [], 'nothing was read');
    const whole: ServerEvent[] = events;
    connection.resume();
    await until(() => whole.some(({ type }) => type === 'response.completed'));
    assert.equal(textIn(events).length, 4_000_000);
    const numbers = events.map((event) => (event as { readonly sequence_number?: number }).sequence_number);
    assert.deepEqual(numbers, [...numbers.keys()]);
    socket.close();
  });

  test('are bounded: messages at a time, and the length of one', async () => {
    const { socket, events, send } = await connect();
    for (let lane = 0; lane < 16; lane++) send({ input: 'wait', stream_id: `lane-${lane}` });
    send({ input: 'one more', stream_id: 'more' });
    const refused = (): unknown => events.find(({ type }) => type === 'error');
    await until(() => refused() !== undefined);
    assert.equal((refused() as { readonly status: number }).status, 429);
    socket.close();
    const other = await connect();
    const closed = new Promise<number>((resolve) => other.socket.on('close', (code) => resolve(code)));
    other.send({ input: 'x'.repeat(16_777_217) });
    assert.equal(await closed, 1009);
  });

  test('need a key before the connection is one', async () => {
    const opening = new WebSocket(`${server.url.replace('http', 'ws')}/openai/v1/responses`, {
      headers: { authorization: 'Bearer sk-nobody-knows-this-key' },
    });
    opening.on('error', () => {});
    const [, refused] = (await once(opening, 'unexpected-response')) as [unknown, { statusCode: number }];
    assert.equal(refused.statusCode, 401);
    const plain = await fetch(`${server.url}/openai/v1/models`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    assert.equal(plain.status, 200);
  });

  test('end in order when the server stops', async (t) => {
    const other = await startServer(t, {
      ...options,
      providers: [scriptedProvider('lab', { talk: { answer: answers } })],
      env: { NESTOR_SHUTDOWN_GRACE_S: '0' },
    });
    const { socket, events, send } = await connect(clientOf(other.url, other.key));
    const idle = await connect(clientOf(other.url, other.key));
    const begun = new Promise<void>((resolve) => (onWait = resolve));
    send({ input: 'wait' });
    await begun;
    const closes = [socket, idle.socket].map(
      (one) => new Promise<number>((resolve) => one.on('close', (code) => resolve(code))),
    );
    await other.close();
    assert.deepEqual(await Promise.all(closes), [1001, 1001]);
    assert.equal(events.at(-1)?.type, 'response.failed');
  });
});
