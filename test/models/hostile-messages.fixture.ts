import type { Json, JsonObject } from '../../src/kernel/kit/json.ts';
import {
  delta,
  emptyText,
  endMessage,
  event,
  inputDelta,
  ping,
  startBlock,
  startMessage,
  stopBlock,
  stopMessage,
  textDelta,
} from '../support/upstream-messages.ts';
import { data } from '../support/upstream-chat.ts';
import { bern, biel, other, whole, type HostileStream } from './hostile-stream.fixture.ts';

const tool = (id: string, input: Json = {}, name = 'weather'): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const ended = (reason: string) => [endMessage(reason), stopMessage];
const called = ended('tool_use');
const stopped = ended('end_turn');
const a = [startBlock(0, emptyText), textDelta(0, 'a'), stopBlock(0)];
const message = (rest: object) =>
  JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'a' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 3 },
    ...rest,
  });
const usage = (input: number, output: number) => ({ usage: { input_tokens: input, output_tokens: output } });

/** Streams of Messages as servers should not write them. */
export const hostileMessages: readonly HostileStream[] = [
  {
    about: 'pieces of arguments under an index that no block has',
    steps: [startMessage(), startBlock(0, tool('t1')), inputDelta(1, whole), stopBlock(0), ...called],
    said: [bern],
  },
  {
    about: 'pieces of arguments without an index',
    steps: [
      startMessage(),
      startBlock(0, tool('t1')),
      event({ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: whole } }),
      stopBlock(0),
      ...called,
    ],
    said: [bern],
  },
  {
    about: 'blocks that are never stopped',
    steps: [
      startMessage(),
      startBlock(0, emptyText),
      textDelta(0, 'a'),
      startBlock(1, tool('t1')),
      inputDelta(1, whole),
      ...called,
    ],
    said: ['a', bern],
  },
  {
    about: 'two blocks with one index',
    steps: [
      startMessage(),
      startBlock(0, tool('t1')),
      inputDelta(0, whole),
      startBlock(0, tool('t2')),
      inputDelta(0, other),
      stopBlock(0),
      ...called,
    ],
    said: [bern, biel],
  },
  {
    about: 'two calls with one id',
    steps: [
      startMessage(),
      startBlock(0, tool('t1', { city: 'Bern' })),
      stopBlock(0),
      startBlock(1, tool('t1', { city: 'Biel' })),
      stopBlock(1),
      ...called,
    ],
    said: [bern, biel],
  },
  {
    about: 'two calls in turns',
    steps: [
      startMessage(),
      startBlock(0, tool('t1')),
      startBlock(1, tool('t2')),
      inputDelta(0, '{"city":'),
      inputDelta(1, '{"city":'),
      inputDelta(0, '"Bern"}'),
      inputDelta(1, '"Biel"}'),
      stopBlock(1),
      stopBlock(0),
      ...called,
    ],
    said: [bern, biel],
  },
  {
    about: 'input as a text',
    steps: [startMessage(), startBlock(0, tool('t1', whole)), stopBlock(0), ...called],
    said: [bern],
  },
  {
    about: 'a call that says that the turn ended',
    steps: [startMessage(), startBlock(0, tool('t1')), inputDelta(0, whole), stopBlock(0), ...stopped],
    said: [bern],
  },
  {
    about: 'a call and no reason',
    steps: [startMessage(), startBlock(0, tool('t1')), inputDelta(0, whole), stopBlock(0), stopMessage],
    said: [bern],
  },
  {
    about: 'text between calls',
    steps: [
      startMessage(),
      ...a,
      startBlock(1, tool('t1')),
      inputDelta(1, whole),
      stopBlock(1),
      startBlock(2, { type: 'text', text: 'b' }),
      stopBlock(2),
      startBlock(3, tool('t2', { city: 'Biel' })),
      stopBlock(3),
      ...called,
    ],
    said: ['a', bern, 'b', biel],
  },
  {
    about: 'what may be a stop sequence, and a call',
    steps: [
      startMessage(),
      textDelta(0, 'a EN'),
      startBlock(1, tool('t1')),
      inputDelta(1, whole),
      stopBlock(1),
      ...called,
    ],
    said: ['a EN', bern],
  },
  {
    about: 'a call without arguments',
    steps: [startMessage(), startBlock(0, tool('t1', {}, 'now')), stopBlock(0), ...called],
    said: [['now', '{}']],
  },
  {
    about: 'arguments that are cut',
    steps: [startMessage(), startBlock(0, tool('t1')), inputDelta(0, '{"ci'), stopBlock(0), ...called],
    said: null,
  },
  {
    about: 'arguments cut by a limit',
    steps: [
      startMessage(),
      ...a,
      startBlock(1, tool('t1')),
      inputDelta(1, '{"ci'),
      stopBlock(1),
      ...ended('max_tokens'),
    ],
    said: null,
  },
  {
    about: 'arguments missing at a limit',
    steps: [startMessage(), startBlock(0, tool('t1')), stopBlock(0), ...ended('max_tokens')],
    said: null,
  },
  {
    about: 'arguments cut by a refusal',
    steps: [
      startMessage(),
      ...a,
      startBlock(1, tool('t1')),
      inputDelta(1, '{"ci'),
      stopBlock(1),
      ...ended('refusal'),
    ],
    said: ['a'],
    reason: 'content-filter',
  },
  {
    about: 'arguments cut by a refusal in an open block',
    steps: [startMessage(), ...a, startBlock(1, tool('t1')), inputDelta(1, '{"ci'), ...ended('refusal')],
    said: ['a'],
    reason: 'content-filter',
  },
  {
    about: 'usage of nothing at the end',
    steps: [
      startMessage({ input_tokens: 9, output_tokens: 1 }),
      ...a,
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...usage(0, 3) }),
      event({ type: 'message_delta', delta: {}, ...usage(0, 0) }),
      stopMessage,
    ],
    said: ['a'],
    usage: [9, 3],
  },
  {
    about: 'usage only at the end',
    steps: [
      startMessage({ input_tokens: 0, output_tokens: 0 }),
      ...a,
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...usage(9, 3) }),
      stopMessage,
    ],
    said: ['a'],
    usage: [9, 3],
  },
  { about: 'a whole message', steps: [message({})], said: ['a'], usage: [9, 3] },
  { about: 'a whole message after a byte-order mark', steps: [`\ufeff${message({})}`], said: ['a'] },
  {
    about: 'a byte-order mark in every event',
    steps: [startMessage(), ...a, ...stopped].map((one) => one.replace('data: ', 'data: \ufeff')),
    said: ['a'],
  },
  {
    about: 'the end of another wire',
    steps: [startMessage(), ...a, ...stopped, 'data: [DONE] \n\n'],
    said: ['a'],
  },
  {
    about: 'the end of another wire, and none of this',
    steps: [startMessage(), ...a, endMessage('end_turn'), 'data: [DONE]\t\n\n'],
    said: ['a'],
  },
  {
    about: 'pings and comments',
    steps: [ping, ': x\n\n', startMessage(), ping, ...a, ping, ...stopped],
    said: ['a'],
  },
  {
    about: 'blocks and deltas that nobody knows',
    steps: [
      startMessage(),
      startBlock(0, { type: 'hologram' }),
      delta(0, { type: 'hologram_delta', light: 1 }),
      stopBlock(0),
      event({ type: 'weather_report' }),
      startBlock(1, { type: 'text', text: 'a' }),
      stopBlock(1),
      ...stopped,
    ],
    said: ['a'],
  },
  { about: 'no start of the message', steps: [...a, ...stopped], said: ['a'] },
  {
    about: 'no event lines',
    steps: [startMessage(), ...a, ...stopped].map((one) => one.replace(/^event: .*\n/, '')),
    said: ['a'],
  },
  {
    about: 'an error in the middle',
    steps: [startMessage(), ...a, data({ type: 'error', error: { type: 'api_error' } })],
    said: null,
  },
  { about: 'a stream without an end', steps: [startMessage(), ...a], said: null },
];
