import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import type { JsonObject } from '../../src/kernel/kit/json.ts';
import type { ModelEvent, ModelRequest } from '../../src/features/models/model.ts';
import { askStructured, type OutputCheck } from '../../src/features/models/structured.ts';
import { parseRegex, programSizeOf } from '../../src/features/models/structured-pattern.ts';
import { createSchemaParser, stripFences } from '../../src/features/models/structured-schema.ts';
import type { CatalogEntry } from '../../src/features/models/registry.ts';
import { finish, text } from '../support/models.ts';
import { asks } from '../support/providers.ts';

const parse = createSchemaParser();
const param = 'response_format.json_schema.schema';
const point = {
  type: 'object',
  required: ['x'],
  properties: { x: { type: 'integer' } },
  additionalProperties: false,
};

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, 'invalid_value');
    return error.message;
  }
  return assert.fail('nothing was refused');
};

suite('schemas', () => {
  test('an answer is one valid JSON value, without the fences that models put around it', () => {
    const { check, instruction } = parse(point, param);
    assert.deepEqual(check(' {"x":1}\n'), { ok: true, text: '{"x":1}' });
    assert.deepEqual(check('```json\n{"x":1}\n```'), { ok: true, text: '{"x":1}' });
    assert.deepEqual(check('{"x":1} {"x":2}'), { ok: false, problem: 'the answer is not one JSON value' });
    assert.deepEqual(check('Sure: {"x":1}').ok, false);
    assert.deepEqual(check('{"x":"1"}'), { ok: false, problem: 'answer.x must be integer' });
    assert.ok(instruction.includes(JSON.stringify(point)));
  });

  test('fences are stripped only where they are around everything', () => {
    assert.equal(stripFences('```\n[1]\n```'), '[1]');
    assert.equal(stripFences('```json\r\n[1]```'), '[1]');
    assert.equal(stripFences('["```"]'), '["```"]');
    assert.equal(stripFences('``````'), '');
  });

  test('drafts are distinguished by $schema: the same keyword means something else in each', () => {
    const tuple = (schema: string, more: JsonObject) =>
      parse({ ...(schema && { $schema: schema }), ...more }, param);
    const seven = tuple('http://json-schema.org/draft-07/schema#', { items: [{ type: 'string' }] });
    assert.equal(seven.check('[1]').ok, false);
    const six = tuple('http://json-schema.org/draft-06/schema#', { items: [{ type: 'string' }] });
    assert.equal(six.check('[1]').ok, false);
    const nineteen = tuple('https://json-schema.org/draft/2019-09/schema', {
      dependentRequired: { a: ['b'] },
    });
    assert.equal(nineteen.check('{"a":1}').ok, false);
    for (const name of ['', 'https://json-schema.org/draft/2020-12/schema'])
      assert.equal(tuple(name, { prefixItems: [{ type: 'string' }] }).check('[1]').ok, false);
    assert.match(
      messageOf(() => parse({ $schema: 'http://json-schema.org/draft-04/schema#' }, param)),
      /this draft is not supported/,
    );
  });

  test('formats are checked', () => {
    const { check } = parse({ type: 'string', format: 'date' }, param);
    assert.ok(check('"2026-02-28"').ok);
    assert.ok(!check('"2026-02-30"').ok);
  });

  test('what does not compile is refused with the field and the reason', () => {
    const refused: readonly (readonly [JsonObject, RegExp])[] = [
      [{ type: 'strin' }, /schema\.type must be equal to one of the allowed values/],
      [{ properties: { a: { minimum: '1' } } }, /schema\.properties\.a\.minimum must be number/],
      [{ $ref: 'https://example.com/schema.json' }, /can't resolve reference/],
      [{ $ref: '#/$defs/missing' }, /can't resolve reference/],
      [{ pattern: '(?=a)b' }, /invalid or unsupported Perl syntax/],
      [{ pattern: '(?:(?:x{1000}){1000})' }, /patterns repeat too much/],
      [{ $ref: '#' }, /refers to itself without end/],
    ];
    for (const [schema, expected] of refused) {
      const message = messageOf(() => parse(schema, param));
      assert.ok(message.startsWith(`${param} is not a valid JSON Schema: `), message);
      assert.match(message, expected);
    }
  });

  test('a schema that is too large is refused before it is compiled', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [`p${at}`, { type: 'string' }]),
    );
    assert.match(
      messageOf(() => parse({ properties }, param)),
      /more than 5000 parts/,
    );
    assert.match(
      messageOf(() => parse({ title: 'x'.repeat(300_000) }, param)),
      /longer than 262144 characters/,
    );
  });

  test('an answer whose check takes exponential time is not valid, and the process goes on', () => {
    const either = { type: 'array', items: { $ref: '#' } };
    const { check } = parse({ anyOf: [either, either, { const: 2 }] }, param);
    assert.deepEqual(check('['.repeat(40) + '1' + ']'.repeat(40)), {
      ok: false,
      problem: 'the answer takes too long to check',
    });
    assert.ok(check('[2]').ok);
  });

  test('a pattern that would run for ages elsewhere is linear here', () => {
    const { check } = parse({ type: 'string', pattern: '^(a+)+$' }, param);
    assert.equal(check(JSON.stringify(`${'a'.repeat(50_000)}b`)).ok, false);
    assert.equal(parse({ type: 'string', pattern: '^\\u00e9+$' }, param).check('"éé"').ok, true);
  });
});

suite('expressions', () => {
  test('the whole answer has to match; space around it is forgiven', () => {
    const { check } = parseRegex('\\d{3}-\\d{4}', 'regex');
    assert.deepEqual(check('555-1234\n'), { ok: true, text: '555-1234' });
    assert.equal(check('call 555-1234').ok, false);
    assert.deepEqual(parseRegex('a\n', 'regex').check('a\n'), { ok: true, text: 'a\n' });
  });

  test('what is no RE2, is empty, too long or repeats too much is refused by name', () => {
    for (const regex of ['(', '(?<=a)b', '(a)\\1', '', 'x'.repeat(4_097), '(x{0,999}){1}|'.repeat(200)])
      assert.equal(
        messageOf(() => parseRegex(regex, 'r.regex')),
        'r.regex is not a valid expression',
      );
    assert.ok(parseRegex('x'.repeat(4_096), 'r').check('x'.repeat(4_096)).ok);
  });

  test('the size of a program is estimated by its counted repeats', () => {
    assert.equal(programSizeOf('abc'), 3);
    assert.equal(programSizeOf('a{100}'), 100);
    assert.equal(programSizeOf('a{2,50}'), 50);
    assert.equal(programSizeOf('[a-z{9}]{10}'), 10);
    assert.equal(programSizeOf('\\{9}'), 3, 'an escaped brace is a letter');
    assert.ok(programSizeOf('((abc){30}){30}') > 2_700);
  });
});

/** Answers in order, and records what each call was asked. */
function scripted(...answers: readonly (readonly ModelEvent[])[]) {
  const asked: ModelRequest[] = [];
  const entry = {} as CatalogEntry;
  const ask = (request: ModelRequest) => {
    const events = answers[asked.length] ?? assert.fail('asked more often than scripted');
    asked.push(request);
    return Promise.resolve({
      name: 'lab/a',
      entry,
      events: (async function* answer() {
        for (const event of events) yield [event];
      })(),
    });
  };
  return { ask, asked };
}

const check: OutputCheck = parse(point, param);
const request = asks('where?', {
  format: { type: 'json-schema', name: 'p', schema: point, description: null, strict: true },
});

suite('asking until it is valid', () => {
  test('a valid first answer is returned as it is, stripped of its fences', async () => {
    const { ask, asked } = scripted([text('```json\n'), text('{"x":1}\n```'), ...finish()]);
    const answer = await askStructured({ request, check, enforced: true, ask });
    assert.deepEqual([answer.text, answer.attempts], ['{"x":1}', 1]);
    assert.deepEqual(
      answer.events.map(({ type }) => type),
      ['text-delta', 'usage', 'finish'],
    );
    assert.deepEqual(asked, [request], 'a model that enforces gets no instruction');
  });

  test('a model that does not enforce gets an instruction', async () => {
    const { ask, asked } = scripted([text('{"x":1}'), ...finish()]);
    await askStructured({ request, check, enforced: false, ask });
    assert.deepEqual(asked[0]?.system, [check.instruction]);
  });

  test('a wrong answer is sent back with what is wrong, and the usage of all attempts is reported', async () => {
    const { ask, asked } = scripted(
      [text('x is 1'), ...finish()],
      [text('{"x":"1"}'), ...finish()],
      [text('{"x":1}'), ...finish()],
    );
    const answer = await askStructured({ request, check, enforced: true, ask });
    assert.deepEqual([answer.text, answer.attempts], ['{"x":1}', 3]);
    assert.deepEqual(
      answer.events.find(({ type }) => type === 'usage'),
      {
        type: 'usage',
        usage: { input: 33, output: 15, cacheRead: 9, cacheWrite: 6, reasoning: 3 },
      },
    );
    const last = asked[2]?.turns ?? [];
    assert.equal(last.length, 3, 'only the last attempt is repeated');
    assert.deepEqual(last[1], { role: 'assistant', parts: [{ type: 'text', text: '{"x":"1"}' }] });
    assert.match(JSON.stringify(last[2]), /answer\.x must be integer/);
    assert.deepEqual(
      asked[1]?.system,
      [check.instruction],
      'one that broke its promise gets the instruction',
    );
  });

  test('after three wrong answers it is 502 and no repeat is worth it', async () => {
    const wrong = [text('no'), ...finish()];
    const { ask, asked } = scripted(wrong, wrong, wrong);
    await assert.rejects(askStructured({ request, check, enforced: true, ask }), {
      code: 'structured_output_failed',
      status: 502,
      final: true,
    });
    assert.equal(asked.length, 3);
  });

  test('an answer that was cut or calls a tool is returned as it is', async () => {
    const cut = await askStructured({
      request,
      check,
      enforced: true,
      ...scripted([text('{"x"'), ...finish('length')]),
    });
    assert.deepEqual([cut.text, cut.attempts], ['{"x"', 1]);
    const call: readonly ModelEvent[] = [
      { type: 'tool-call-start', id: '1', name: 'f' },
      { type: 'tool-call-end', id: '1' },
    ];
    const calling = await askStructured({
      request,
      check,
      enforced: true,
      ...scripted([...call, ...finish('tool-calls')]),
    });
    assert.deepEqual(calling.events.slice(0, 2), call);
    const around = [text('Before'), ...call, text('behind')];
    const mixed = await askStructured({
      request,
      check,
      enforced: true,
      ...scripted([...around, ...finish('tool-calls')]),
    });
    assert.deepEqual(mixed.events.slice(0, 4), around, 'text that was held back keeps its place');
  });

  test('what a backend fails with goes through', async () => {
    const ask = () => Promise.reject(new Fault('gateway_timeout'));
    await assert.rejects(askStructured({ request, check, enforced: true, ask }), { code: 'gateway_timeout' });
  });
});
