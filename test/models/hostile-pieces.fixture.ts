import { chunk, done } from '../support/upstream-chat.ts';
import { bern, called, end, fn, piece, whole, type HostileStream } from './hostile-stream.fixture.ts';

/** Arguments cut at every place where servers cut them. */
const cuts: readonly (readonly string[])[] = [
  [whole],
  ['', whole],
  ['{', '"city":"Bern"}'],
  ['{"city":', '"Bern"}'],
  ['{"city":"Be', '', 'rn"', '}'],
  [...whole],
];

export const pieces: readonly HostileStream[] = cuts.flatMap((parts, index): HostileStream[] => {
  const [first = '', ...rest] = parts;
  const about = `in ${parts.length} pieces, ${index}`;
  const begun = { index: 0, id: 'c1', type: 'function', ...fn(first, 'weather') };
  return [
    {
      about: `arguments ${about}`,
      steps: [piece(begun), ...rest.map((args) => piece({ index: 0, ...fn(args) })), ...called],
      said: [bern],
    },
    {
      about: `arguments under an index that no call has, ${about}`,
      steps: [piece(begun), ...rest.map((args) => piece({ index: 1, ...fn(args) })), ...called],
      said: [bern],
    },
    {
      about: `arguments under a new index each, ${about}`,
      steps: [piece(begun), ...rest.map((args, at) => piece({ index: at + 1, ...fn(args) })), ...called],
      said: [bern],
    },
    {
      about: `without an index, ${about}`,
      steps: [
        piece({ id: 'c1', ...fn(first, 'weather') }),
        ...rest.map((args) => piece(fn(args))),
        ...called,
      ],
      said: [bern],
    },
    {
      about: `an index only from the second piece on, ${about}`,
      steps: [
        piece({ id: 'c1', ...fn(first, 'weather') }),
        ...rest.map((args) => piece({ index: 0, ...fn(args) })),
        ...called,
      ],
      said: [bern],
    },
    {
      about: `the index as a text, ${about}`,
      steps: [
        piece({ ...begun, index: '0' }),
        ...rest.map((args) => piece({ index: '0', ...fn(args) })),
        ...called,
      ],
      said: [bern],
    },
    {
      about: `id and name in each piece, ${about}`,
      steps: [...parts.map((args) => piece({ index: 0, id: 'c1', ...fn(args, 'weather') })), ...called],
      said: [bern],
    },
    {
      about: `id and name in each piece and no index, ${about}`,
      steps: [...parts.map((args) => piece({ id: 'c1', ...fn(args, 'weather') })), ...called],
      said: [bern],
    },
    {
      about: `another id in each piece, ${about}`,
      steps: [
        piece(begun),
        ...rest.map((args, at) => piece({ index: 0, id: `d${at}`, ...fn(args) })),
        ...called,
      ],
      said: [bern],
    },
    {
      about: `an empty id and name in each further piece, ${about}`,
      steps: [piece(begun), ...rest.map((args) => piece({ index: 0, id: '', ...fn(args, '') })), ...called],
      said: [bern],
    },
    {
      about: `the id late, with the name again, ${about}`,
      steps: [
        piece({ index: 0, ...fn('', 'weather') }),
        ...parts.map((args) => piece({ index: 0, id: 'c1', ...fn(args, 'weather') })),
        ...called,
      ],
      said: [bern],
    },
    {
      about: `the name split, ${about}`,
      steps: [
        piece({ index: 0, id: 'c1', ...fn('', 'wea') }),
        piece({ index: 0, ...fn('', 'th') }),
        piece({ index: 0, ...fn(undefined, 'er') }),
        ...parts.map((args) => piece({ index: 0, ...fn(args) })),
        ...called,
      ],
      said: [bern],
    },
    {
      about: `as a function call of old, ${about}`,
      steps: [
        chunk({ function_call: { name: 'weather', arguments: first } }),
        ...rest.map((args) => chunk({ function_call: { arguments: args } })),
        ...end('function_call'),
      ],
      said: [bern],
    },
    {
      about: `after a reason, ${about}`,
      steps: [
        chunk({ content: 'I look.' }, 'stop'),
        piece(begun, 'stop'),
        ...rest.map((args) => piece({ index: 0, ...fn(args) }, 'stop')),
        done,
      ],
      said: ['I look.', bern],
    },
    {
      about: `with white space around, ${about}`,
      steps: [
        piece({ ...begun, ...fn(` ${first}`, 'weather') }),
        ...rest.map((args) => piece({ index: 0, ...fn(args) })),
        piece({ index: 0, ...fn('\n') }),
        ...called,
      ],
      said: [['weather', ` ${whole}\n`]],
    },
  ];
});
