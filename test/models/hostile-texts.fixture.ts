import { chunk, data, done } from '../support/upstream-chat.ts';
import { stopped, text, type HostileStream } from './hostile-stream.fixture.ts';

const raw = (delta: string) => `data: {"choices":[{"index":0,"delta":${delta}}]}\n\n`;
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

export const texts: readonly HostileStream[] = [
  ...['stop', 'length', 'tool_calls', ''].map((reason) => ({
    about: `"${reason}" on every chunk`,
    steps: [text('a', reason), text('b', reason), text('c', reason), ...stopped],
    said: ['abc'],
  })),
  {
    about: 'text after a reason',
    steps: [text('a'), chunk({}, 'length'), text('b'), ...stopped],
    said: ['ab'],
  },
  {
    about: 'reasons of limits',
    steps: [text('a'), chunk({}, 'max_output_tokens'), done],
    said: ['a'],
    reason: 'length',
  },
  ...[
    'data: [DONE] \n\n',
    'data:[DONE]\n\n',
    'data: [DONE]\t\r\n\r\n',
    'data: [DONE]',
    'event: done\ndata: [DONE]\n\n',
  ].map((last) => ({
    about: `an end written as ${JSON.stringify(last)}`,
    steps: [text('a'), last],
    said: ['a'],
  })),
  {
    about: 'a byte-order mark before all',
    steps: [`\ufeff${text('a')}`, text('b'), ...stopped],
    said: ['ab'],
  },
  {
    about: 'a byte-order mark in every event',
    steps: [text('a'), text('b')].map((event) => event.replace('data: ', 'data: \ufeff')).concat(stopped),
    said: ['ab'],
  },
  {
    about: 'a byte-order mark before a whole answer',
    steps: [
      `\ufeff${JSON.stringify({ choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }] })}`,
    ],
    said: ['a'],
  },
  {
    about: 'a key twice',
    steps: [raw('{"content":"a","content":"b"}'), text('c'), ...stopped],
    said: ['bc'],
  },
  {
    about: 'a key twice after a plain chunk',
    steps: [raw('{"content":"a"}'), raw('{"content":"b","content":"c"}'), ...stopped],
    said: ['ac'],
  },
  {
    about: 'unknown fields nested deeply',
    steps: [raw(`{"content":"a","x":${deep(500)}}`), ...stopped],
    said: ['a'],
  },
  {
    about: 'null as delta, with a message',
    steps: [
      data({ choices: [{ index: 0, delta: null, message: { content: 'a' }, finish_reason: null }] }),
      ...stopped,
    ],
    said: ['a'],
  },
  {
    about: 'more answers than were asked for',
    steps: [
      text('a'),
      data({ choices: [{ index: 1, delta: { content: 'x' } }] }),
      data({
        choices: [
          { index: 1, delta: { content: 'y' } },
          { index: 0, delta: { content: 'b' } },
        ],
      }),
      data({ choices: [{ index: 1, delta: {}, finish_reason: 'length' }] }),
      ...stopped,
    ],
    said: ['ab'],
    reason: 'end',
  },
  ...[null, '', false].map((error) => ({
    about: `${JSON.stringify(error)} as an error`,
    steps: [chunk({ content: 'a' }, null, { error }), ...stopped],
    said: ['a'],
  })),
  {
    about: 'a character split over two escapes',
    steps: [raw('{"content":"\\ud83e"}'), raw('{"content":"\\udd9c"}'), ...stopped],
    said: ['🦜'],
  },
  {
    about: 'a character split over two packets',
    steps: [Buffer.from(text('🦜')).subarray(0, -70), Buffer.from(text('🦜')).subarray(-70), ...stopped],
    said: ['🦜'],
  },
  {
    about: 'events that end with CR',
    steps: [text('a').replaceAll('\n', '\r'), text('b'), ...stopped],
    said: ['ab'],
  },
  {
    about: 'an event in several lines',
    steps: ['data: {"choices":[{"index":0,\ndata: "delta":{"content":"a"}}]}\n\n', ...stopped],
    said: ['a'],
  },
  {
    about: 'comments, pings and empty chunks between',
    steps: [
      ': ping\n\n',
      text('a'),
      'event: ping\ndata: {}\n\n',
      data({ choices: [] }),
      text('b'),
      ...stopped,
    ],
    said: ['ab'],
  },
  {
    about: 'chunks in reading of which one differs',
    steps: [text('a'), text('"'), text('\\'), text('b'), text('\n'), ...stopped],
    said: ['a"\\b\n'],
  },
  {
    about: 'a text that looks like a chunk',
    steps: [text('a'), text('"}}]}'), text('data: [DONE]\n\n'), ...stopped],
    said: ['a"}}]}data: [DONE]\n\n'],
  },
  {
    about: 'a refusal beside no content',
    steps: [chunk({ content: null, refusal: 'I do not say.' }), ...stopped],
    said: ['I do not say.'],
  },
  { about: 'a stream without an end', steps: [text('a')], said: null },
  { about: 'no stream', steps: [], said: null },
  {
    about: 'an error in the middle',
    steps: [text('a'), data({ error: { message: 'm' } }), done],
    said: null,
  },
];

const usageOf = (input: number, output: number) => ({
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
});

export const usages: readonly HostileStream[] = [
  {
    about: 'usage of nothing behind one that is',
    steps: [text('a'), chunk({}, 'stop', usageOf(9, 3)), chunk({}, null, usageOf(0, 0)), done],
    said: ['a'],
    usage: [9, 3],
  },
  {
    about: 'usage of nothing before one that is',
    steps: [chunk({ content: 'a' }, null, usageOf(0, 0)), chunk({}, 'stop', usageOf(9, 3)), done],
    said: ['a'],
    usage: [9, 3],
  },
  {
    about: 'input counted first and output last',
    steps: [chunk({ content: 'a' }, null, usageOf(9, 0)), chunk({}, 'stop', usageOf(0, 3)), done],
    said: ['a'],
    usage: [9, 3],
  },
  {
    about: 'usage that grows with each chunk',
    steps: [
      chunk({ content: 'a' }, null, usageOf(9, 1)),
      chunk({ content: 'b' }, 'stop', usageOf(9, 3)),
      done,
    ],
    said: ['ab'],
    usage: [9, 3],
  },
  {
    about: 'usage that becomes null',
    steps: [chunk({ content: 'a' }, 'stop', usageOf(9, 3)), chunk({}, null, { usage: null }), done],
    said: ['a'],
    usage: [9, 3],
  },
];
