import { chunk, data, done } from '../support/upstream-chat.ts';
import {
  bern,
  biel,
  called,
  end,
  fn,
  other,
  piece,
  stopped,
  text,
  whole,
  type HostileStream,
} from './hostile-stream.fixture.ts';

const one = { index: 0, id: 'c1', ...fn(whole, 'weather') };
const two = { index: 1, id: 'c2', ...fn(other, 'weather') };

export const calls: readonly HostileStream[] = [
  {
    about: 'two calls in one piece',
    steps: [chunk({ tool_calls: [one, two] }), ...called],
    said: [bern, biel],
  },
  { about: 'two calls that say stop', steps: [piece(one), piece(two), ...stopped], said: [bern, biel] },
  { about: 'a call as an object', steps: [chunk({ tool_calls: one }), ...called], said: [bern] },
  {
    about: 'a call without the level of the function',
    steps: [piece({ index: 0, id: 'c1', name: 'weather', arguments: whole }), ...called],
    said: [bern],
  },
  {
    about: 'two calls with one index, by id',
    steps: [piece(one), piece({ ...two, index: 0 }), ...called],
    said: [bern, biel],
  },
  {
    about: 'two calls with one id, by index',
    steps: [piece(one), piece({ ...two, id: 'c1' }), ...called],
    said: [bern, biel],
  },
  {
    about: 'two calls with one id and no index',
    steps: [
      piece({ id: 'c1', ...fn(whole, 'weather') }),
      piece({ id: 'c1', ...fn(other, 'weather') }),
      ...called,
    ],
    said: [bern, biel],
  },
  {
    about: 'two calls with neither id nor index',
    steps: [piece(fn(whole, 'weather')), piece(fn(other, 'weather')), ...called],
    said: [bern, biel],
  },
  {
    about: 'two calls in turns',
    steps: [
      piece({ index: 0, id: 'c1', ...fn('{"city":', 'weather') }),
      piece({ index: 1, id: 'c2', ...fn('{"city":', 'weather') }),
      piece({ index: 0, ...fn('"Bern"}') }),
      piece({ index: 1, ...fn('"Biel"}') }),
      ...called,
    ],
    said: [bern, biel],
  },
  {
    about: 'a call that is repeated whole at the end',
    steps: [piece(one), piece(one, 'tool_calls'), done],
    said: [bern],
  },
  {
    about: 'a message that repeats the whole answer beside an empty delta',
    steps: [
      text('a'),
      data({
        choices: [
          { index: 0, delta: {}, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' },
        ],
      }),
      done,
    ],
    said: ['a'],
  },
  {
    about: 'empty arguments before those that are',
    steps: [
      piece({ index: 0, id: 'c1', ...fn('{}', 'weather') }),
      piece({ index: 0, ...fn('{"city":') }),
      piece({ index: 0, ...fn('"Bern"}') }),
      ...called,
    ],
    said: [bern],
  },
  {
    about: 'null before those that are',
    steps: [
      piece({ index: 0, id: 'c1', ...fn('null', 'weather') }),
      piece({ index: 0, ...fn(whole) }),
      ...called,
    ],
    said: [bern],
  },
  ...['', '{}', 'null', undefined].map((args) => ({
    about: `a call without arguments, told as ${args}`,
    steps: [piece({ index: 0, id: 'c1', ...fn(args, 'now') }), ...called],
    said: [['now', '{}']] as const,
  })),
  {
    about: 'a name with which a longer one begins',
    steps: [piece({ index: 0, id: 'c1', ...fn('', 'now') }), piece({ index: 0, ...fn('{}') }), ...called],
    said: [['now', '{}']],
  },
  {
    about: 'a longer name whose beginning is one, in two pieces',
    steps: [
      piece({ index: 0, id: 'c1', ...fn('', 'now') }),
      piece({ index: 0, ...fn('', '_in') }),
      piece({ index: 0, ...fn(whole) }),
      ...called,
    ],
    said: [['now_in', whole]],
  },
  {
    about: 'arguments as an object with an integer beyond 2^53',
    steps: [
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"weather","arguments":{"city":9007199254740993}}}]}}]}\n\n',
      ...called,
    ],
    said: [['weather', '{"city":9007199254740993}']],
  },
  {
    about: 'text before, between and after calls',
    steps: [text('a'), piece(one), text('b'), piece(two), text('c'), ...called],
    said: ['a', bern, 'b', biel, 'c'],
  },
  {
    about: 'text and a call in one delta',
    steps: [chunk({ content: 'a', tool_calls: [one] }), ...called],
    said: ['a', bern],
  },
  {
    about: 'white space that may be before a thought, and a call',
    steps: [text('\n'), piece(one), ...called],
    said: ['\n', bern],
  },
  {
    about: 'what may be a thought, and a call',
    steps: [text('<thi'), piece(one), ...called],
    said: ['<thi', bern],
  },
  {
    about: 'what may be a stop sequence, and a call',
    steps: [text('a EN'), piece(one), ...called],
    said: ['a EN', bern],
  },
  {
    about: 'what may be a stop sequence, a call, and the rest of it',
    steps: [text('a EN'), piece(one), text('D b'), ...called],
    said: ['a EN', bern, 'D b'],
  },
  {
    about: 'arguments that are cut',
    steps: [piece({ ...one, ...fn('{"city":', 'weather') }), ...called],
    said: null,
  },
  {
    about: 'arguments cut by a limit',
    steps: [text('a'), piece({ ...one, ...fn('{"ci', 'weather') }), ...end('length')],
    said: null,
  },
  {
    about: 'arguments missing at a limit',
    steps: [piece({ ...one, ...fn('', 'weather') }), ...end('length')],
    said: null,
  },
  {
    about: 'arguments that are a list',
    steps: [piece({ ...one, ...fn('[1]', 'weather') }), ...called],
    said: null,
  },
  {
    about: 'arguments behind arguments',
    steps: [piece({ ...one, ...fn(`${whole}${other}`, 'weather') }), ...called],
    said: null,
  },
  {
    about: 'more calls than anybody can mean',
    steps: [
      chunk({
        tool_calls: Array.from({ length: 600 }, (_, index) => ({
          index,
          id: `c${index}`,
          ...fn('{}', 'now'),
        })),
      }),
      ...called,
    ],
    said: null,
  },
  ...['content_filter', 'SAFETY', 'refusal'].map((reason) => ({
    about: `arguments cut by a filter, ${reason}`,
    steps: [text('A readable answer.'), piece({ ...one, ...fn('{"ci', 'weather') }), ...end(reason)],
    said: ['A readable answer.'],
    reason: 'content-filter' as const,
  })),
  {
    about: 'a whole call and one that a filter cut',
    steps: [piece(one), piece({ ...two, ...fn('{"ci', 'weather') }), ...end('content_filter')],
    said: [bern],
    reason: 'content-filter',
  },
];
