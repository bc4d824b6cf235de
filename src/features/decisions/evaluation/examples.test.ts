import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { readCsv } from '../../../kernel/kit/csv.ts';
import { readableNames } from './convert/intents.ts';
import { parseJsonl, toCaseInSteps, toCases, toJsonl } from './examples.ts';
import { readExamples } from './read-examples.ts';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';

const read = (text: string, options = { split: 'test', outside: false }) =>
  readExamples(Buffer.from(text), 'file', options);

function refused(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ExampleError, String(error));
    assert.doesNotMatch(error.message, /\n/);
    return error.message;
  }
  return assert.fail('nothing was thrown');
}

const noul = '{"state":"It rains.","question":{"type":"noul","instructions":"Is it wet?"},"answer":true}';
const choice =
  '{"state":{"a":1},"question":{"type":"choice","criteria":{"10":null,"b":"text"}},"answer":"b","id":7}';
const score = '{"state":["x"],"question":{"type":"score","criteria":["low",null,"high"]},"answer":2}';

test('one example of many values is prepared in many steps, between which others run', () => {
  const state = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, { at }]));
  const steps = toCaseInSteps({
    state,
    question: { type: 'noul', instructions: 'x' },
    answer: true,
    source: 'a',
  });
  let yields = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) yields++;
  assert.ok(yields > 100, String(yields));
});

suite('JSONL', () => {
  test('every kind is read, prepared and written back', () => {
    const { examples, form } = read(`\uFEFF${noul}\r\n\n${choice}\n${score}`);
    assert.equal(form, 'JSONL');
    assert.deepEqual(
      examples.map(({ source, answer }) => [source, answer]),
      [
        ['file:1', true],
        ['file:3', 'b'],
        ['file:4', 2],
      ],
    );
    assert.deepEqual(
      toCases(examples).map(({ right }) => right),
      [0, 1, 2],
    );
    const again = parseJsonl(examples.map(toJsonl).join('\n'), 'file');
    assert.deepEqual(again.map(toJsonl), examples.map(toJsonl));
  });

  test('integers keep their digits, as in a request', () => {
    const line =
      '{"state":{"id":12345678901234567890},"question":{"type":"noul","instructions":"x"},"answer":true}';
    const { examples } = read(line);
    assert.equal(toCases(examples)[0]?.state.text, '{"id": 12345678901234567890}');
    assert.deepEqual(examples.map(toJsonl), [line]);
  });

  const question = (fields: string) => `{"state":"x","question":{${fields}},"answer":true}`;
  const wrong: readonly (readonly [line: string, message: RegExp])[] = [
    ['{"state":', /not valid JSON/],
    ['[1]', /must be a JSON object with state, question and answer/],
    ['{"state":"x","question":{}}', /"answer" is missing/],
    ['{"state":1,"question":{},"answer":1}', /state must be a string, object or array/],
    [question('"type":"bool"'), /type is noul, choice or score/],
    [question('"type":"noul"'), /Noul question must have criteria or instructions/],
    [question('"type":"noul","instructions":5'), /question\.instructions: instructions must be a string/],
    [question('"type":"choice"'), /question: "criteria" is missing/],
    [question('"type":"choice","criteria":{}'), /Choice question must have 1 to 255 options/],
    [question('"type":"choice","criteria":{"a":1,"a":2}'), /"a" stands twice/],
    [question('"type":"choice","criteria":{"a":null}'), /answer true: a choice is answered by the name/],
    [question('"type":"score","criteria":["a"]'), /answer true: .* 0 to 0/],
    [question('"type":"score","criteria":[1]'), /question\.criteria\.0: /],
    [noul.replace('true}', '"yes"}'), /answer "yes": a noul is answered by true or false/],
    [noul.replace('true}', 'null}'), /answer must be true or false, the name/],
    [choice.replace('"b",', '"c",'), /answer "c"/],
    [score.replace('2}', '3}'), /answer 3: .* 0 to 2/],
    [score.replace('2}', '0.5}'), /answer 0\.5/],
    [choice.replace('{"a":1}', '{"type":"image_url","image_url":"data:"}'), /state: image parts/],
  ];
  for (const [line, message] of wrong) {
    test(`a line is refused with its number: ${line.slice(0, 60)}`, () => {
      const told = refused(() => read(`${noul}\n\n${line}`));
      assert.match(told, /^file:3: /);
      assert.match(told, message);
    });
  }

  test('what is of no form is refused with the forms that are', () => {
    assert.match(
      refused(() => read('hello')),
      /allowed: JSONL/,
    );
    assert.match(
      refused(() => readExamples(Buffer.from([0x7b, 0xff]), 'file', { split: '', outside: false })),
      /UTF-8/,
    );
  });
});

suite('CSV', () => {
  const fields = (text: string) => [...readCsv(text, ExampleError.in('file'))].map((record) => record.fields);

  test('quotes, commas, line ends and doubled quotes', () => {
    assert.deepEqual(fields('a,b\r\n"x, ""y""\nz",\n\n,"",c'), [
      ['a', 'b'],
      ['x, "y"\nz', ''],
      ['', '', 'c'],
    ]);
    assert.deepEqual(fields('a"b,c'), [['a"b', 'c']]);
    assert.deepEqual(fields('a,'), [['a', '']]);
    assert.deepEqual(fields(''), []);
  });

  test('records know their line', () => {
    assert.deepEqual(
      [...readCsv('a\n"b\r\nc"\n\nd', ExampleError.in('file'))].map(({ line }) => line),
      [1, 2, 5],
    );
  });

  test('a quote that is open or followed by text is refused', () => {
    assert.match(
      refused(() => fields('a\n"b,c')),
      /^file:2: a quoted field is never closed/,
    );
    assert.match(
      refused(() => fields('"a"b')),
      /^file:1: text after a closing quote/,
    );
  });

  test('whatever is written by the rules is read back', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' '), maxLength: 6 });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 });
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n', '\r'), (rows, end) => {
        const text = rows
          .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
          .join(end);
        assert.deepEqual(fields(text), rows);
      }),
    );
  });
});

suite('public data sets', () => {
  test('BANKING77: a choice over all categories, by readable names', () => {
    const { examples, form } = read('text,category\n"Where, is it?",card_arrival\nWhy?,Refund_not_there\n');
    assert.equal(form, 'BANKING77');
    const [first, second] = examples;
    assert.deepEqual(
      [first?.state, first?.answer, first?.source],
      ['Where, is it?', 'card arrival', 'file:2'],
    );
    assert.equal(second?.answer, 'Refund not there');
    assert.deepEqual(Object.keys((first?.question.criteria ?? {}) as object), [
      'Refund not there',
      'card arrival',
    ]);
    assert.match(
      refused(() => read('text,category\nonly one\n')),
      /^file:2: 1 fields/,
    );
    assert.equal(
      refused(() => read('text,category\nWhy?,b\nWho?,\n')),
      'file:3: the category is empty',
    );
    assert.equal(toCases(examples)[1]?.right, 0);
  });

  const clinc = JSON.stringify({
    test: [
      ['hi', 'greeting'],
      ['fly', 'book_flight'],
    ],
    val: [['bye', 'good_bye']],
    oos_test: [['what', 'oos']],
  });

  test('CLINC150: the chosen part, with what fits no intent only when asked for', () => {
    assert.deepEqual(
      read(clinc).examples.map(({ answer }) => answer),
      ['greeting', 'book flight'],
    );
    const outside = read(clinc, { split: 'test', outside: true }).examples;
    assert.deepEqual(
      outside.map(({ answer }) => answer),
      ['greeting', 'book flight', 'none of these'],
    );
    assert.equal(toCases(outside)[2]?.question.options.length, 3);
    assert.equal(read(clinc, { split: 'val', outside: false }).examples.length, 1);
    assert.match(
      refused(() => read(clinc, { split: 'dev', outside: false })),
      /no part "dev"; there are test, val/,
    );
    assert.match(
      refused(() => read(clinc, { split: 'oos_test', outside: true })),
      /no part/,
    );
  });

  test('BIG-Bench Hard: nouls, lettered and dashed choices; the rest is counted', () => {
    const tasks = [
      ['Is it? ', 'No'],
      ['not True is', 'False'],
      ['So?\nOptions:\n- Yes\n- No', 'Yes'],
      ['So?\nOptions:\n(A) yes\n(B) no', '(B)'],
      ['Which?\nOptions:\n(A) red\n(B) blue', '(B)'],
      ['Which?\nOptions:\n- valid \n- invalid', 'invalid'],
      ['Count.', '8'],
      ['Which?\nOptions:\n(A) red\n(B) red', '(B)'],
      ['Which?\nOptions:\n(A) red\n(B) blue', '(C)'],
      ['Which?\nOptions:\n(A) red\nor blue', '(A)'],
    ].map(([input, target]) => ({ input, target }));
    const { examples, refused, form } = read(JSON.stringify({ canary: 'x', examples: tasks }));
    assert.equal(form, 'BIG-Bench Hard');
    assert.deepEqual(
      examples.map(({ question, answer }) => [question.type, answer]),
      [
        ['noul', false],
        ['noul', false],
        ['noul', true],
        ['noul', false],
        ['choice', 'blue'],
        ['choice', 'invalid'],
      ],
    );
    assert.equal(refused, 4);
    assert.equal(examples[4]?.state, 'Which?');
    toCases(examples);
  });

  test('names that would become the same stay apart', () => {
    assert.deepEqual(
      [...readableNames(['a_b', 'a-b', 'c_d', 'c_d', '_'])],
      [
        ['_', '_'],
        ['a-b', 'a-b'],
        ['a_b', 'a_b'],
        ['c_d', 'c d'],
      ],
    );
  });
});
