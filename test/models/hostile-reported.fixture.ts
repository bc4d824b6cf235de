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

const choice = (fields: object) => data({ choices: [{ index: 0, ...fields }] });
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const opening = { index: 0, id: 'call_1', type: 'function', ...fn('', 'weather') };

/** What users of other gateways reported of their servers. */
export const reported: readonly HostileStream[] = [
  {
    about: 'the end of a thought and the beginning of the text in one delta',
    steps: [
      chunk({ reasoning_content: 'hm' }),
      chunk({ reasoning_content: '.', content: 'a' }),
      text('b'),
      ...stopped,
    ],
    said: ['ab'],
  },
  {
    about: 'the end of a thought and a call in one delta',
    steps: [chunk({ reasoning: 'hm', tool_calls: [{ ...opening, ...fn(whole, 'weather') }] }), ...called],
    said: [bern],
  },
  {
    about: 'a thought told under two names',
    steps: [chunk({ reasoning: 'hm', reasoning_content: 'hm', content: null }), text('a'), ...stopped],
    said: ['a'],
  },
  {
    about: 'text as a list of blocks, some of them empty',
    steps: [
      chunk({ content: [] }),
      chunk({ content: [{ type: 'text', text: 'a' }] }),
      chunk({ content: [{ type: 'text', text: '' }] }),
      chunk({ content: [{ type: 'text', text: 'b' }, { type: 'image_url' }] }),
      ...stopped,
    ],
    said: ['ab'],
  },
  {
    about: 'usage before the reason, without a choice',
    steps: [text('a'), data({ choices: [], usage }), chunk({}, 'stop'), done],
    said: ['a'],
    usage: [9, 3],
  },
  {
    about: 'usage with null for choices',
    steps: [text('a'), chunk({}, 'stop'), data({ choices: null, usage }), done],
    said: ['a'],
    usage: [9, 3],
  },
  {
    about: 'usage without choices',
    steps: [text('a'), chunk({}, 'stop'), data({ usage }), done],
    said: ['a'],
    usage: [9, 3],
  },
  {
    about: 'filters told before all and between, as Azure tells them',
    steps: [
      data({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }),
      choice({ delta: { role: 'assistant', content: '' }, content_filter_results: {}, finish_reason: null }),
      choice({ delta: { content: 'a' }, content_filter_results: { hate: { filtered: false } } }),
      choice({
        content_filter_offsets: { check_offset: 1 },
        content_filter_results: {},
        finish_reason: null,
      }),
      ...stopped,
    ],
    said: ['a'],
  },
  {
    about: 'a reason without a delta',
    steps: [text('a'), choice({ finish_reason: 'stop' }), done],
    said: ['a'],
  },
  {
    about: 'the reason beside the last text, and nothing more',
    steps: [text('a'), text('b', 'stop')],
    said: ['ab'],
  },
  {
    about: 'every field of a delta, most of them null',
    steps: ['a', 'b']
      .map((content) =>
        chunk({
          role: 'assistant',
          content,
          refusal: null,
          function_call: null,
          tool_calls: null,
          audio: null,
        }),
      )
      .concat(stopped),
    said: ['ab'],
  },
  {
    about: 'an empty list of calls beside each text',
    steps: [chunk({ content: 'a', tool_calls: [] }), chunk({ content: 'b', tool_calls: [] }), ...stopped],
    said: ['ab'],
  },
  {
    about: 'null for id, type and name in further pieces',
    steps: [
      piece(opening),
      piece({ index: 0, id: null, type: null, function: { name: null, arguments: '{"city":' } }),
      piece({ index: 0, id: null, type: null, function: { name: null, arguments: '"Bern"}' } }),
      ...called,
    ],
    said: [bern],
  },
  {
    about: 'empty pieces of arguments between others',
    steps: [
      piece(opening),
      piece({ index: 0, ...fn('') }),
      piece({ index: 0, ...fn('{"city":') }),
      piece({ index: 0, ...fn('') }),
      piece({ index: 0, ...fn('"Bern"}') }),
      piece({ index: 0, ...fn('') }),
      ...called,
    ],
    said: [bern],
  },
  {
    about: 'null for arguments in the first piece',
    steps: [
      piece({ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: null } }),
      piece({ index: 0, ...fn(whole) }),
      ...called,
    ],
    said: [bern],
  },
  {
    about: 'indices that begin with one',
    steps: [
      piece({ index: 1, id: 'call_1', ...fn(whole, 'weather') }),
      piece({ index: 2, id: 'call_2', ...fn(other, 'weather') }),
      ...called,
    ],
    said: [bern, biel],
  },
  {
    about: 'null as the index of a call',
    steps: [piece({ index: null, id: 'call_1', ...fn(whole, 'weather') }), ...called],
    said: [bern],
  },
  {
    about: 'the index of the choice as a text',
    steps: [
      data({ choices: [{ index: '0', delta: { content: 'a' } }] }),
      data({ choices: [{ index: '0', delta: {}, finish_reason: 'stop' }] }),
      done,
    ],
    said: ['a'],
  },
  {
    about: 'null as the index of the choice',
    steps: [
      data({ choices: [{ index: null, delta: { content: 'a' } }] }),
      data({ choices: [{ index: null, delta: {}, finish_reason: 'stop' }] }),
      done,
    ],
    said: ['a'],
  },
  {
    about: 'no index of the choice',
    steps: [
      data({ choices: [{ delta: { content: 'a' } }] }),
      data({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
      done,
    ],
    said: ['a'],
  },
  {
    about: 'a message that grows beside each delta',
    steps: ['a', 'b']
      .map((content, at) =>
        choice({ delta: { content }, message: { role: 'assistant', content: 'ab'.slice(0, at + 1) } }),
      )
      .concat(stopped),
    said: ['ab'],
  },
  {
    about: 'reasons in capitals',
    steps: [text('a'), ...end('STOP')],
    said: ['a'],
  },
  {
    about: 'a limit in capitals',
    steps: [text('a'), ...end('MAX_TOKENS')],
    said: ['a'],
    reason: 'length',
  },
  {
    about: 'the reason of old for a call of now',
    steps: [piece({ index: 0, id: 'call_1', ...fn(whole, 'weather') }), ...end('function_call')],
    said: [bern],
  },
  {
    about: 'arguments behind the reason for them',
    steps: [piece(opening), chunk({}, 'tool_calls'), piece({ index: 0, ...fn(whole) }), done],
    said: [bern],
  },
  {
    about: 'empty events between, and ids and waits of events',
    steps: ['data:\n\n', text('a'), 'data: \n\n', 'id: 7\nretry: 10\n\n', `id: 8\n${text('b')}`, ...stopped],
    said: ['ab'],
  },
  {
    about: 'the event named in each',
    steps: [text('a'), text('b')].map((event) => `event: message\n${event}`).concat(stopped),
    said: ['ab'],
  },
  {
    about: 'empty chunks',
    steps: [data({}), text('a'), data({ choices: [{}] }), ...stopped],
    said: ['a'],
  },
  {
    about: 'a text as an error',
    steps: [text('a'), data({ error: 'overloaded' }), done],
    said: null,
  },
  {
    about: 'an error as an object of its own kind',
    steps: [data({ object: 'error', message: 'm', type: 'BadRequestError', code: 400 }), done],
    said: null,
  },
  {
    about: 'an error beside empty choices',
    steps: [text('a'), data({ choices: [], error: { message: 'm', code: 502 } }), done],
    said: null,
  },
  {
    about: 'an error as the reason',
    steps: [
      text('a'),
      choice({ delta: { content: '' }, finish_reason: 'error', error: { message: 'm' } }),
      done,
    ],
    said: null,
  },
];
