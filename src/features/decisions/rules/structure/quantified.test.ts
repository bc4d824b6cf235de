import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { NormalizedQuestion } from '../../engine.ts';
import { createRules } from '../index.ts';

const rulesOf = (entry: Json) =>
  createRules({ entry: entry as string, text: JSON.stringify(entry), images: [] });
function holds(entry: Json, question: string): boolean | null {
  const options = ['true', 'false'].map((name) => ({ name, description: '' }));
  const asked: NormalizedQuestion = { kind: 'noul', question, options };
  const [yes] = rulesOf(entry)(asked) ?? [];
  return yes === undefined ? null : yes > 0.5;
}
function chosen(entry: Json, question: string, names: readonly string[]): string | null {
  const options = names.map((name) => ({ name, description: '' }));
  const found = rulesOf(entry)({ kind: 'choice', question, options });
  return found === null ? null : (names[found.indexOf(Math.max(...found))] ?? null);
}
function check(entry: Json, cases: readonly (readonly [question: string, expected: boolean | null])[]) {
  for (const [question, expected] of cases) assert.equal(holds(entry, question), expected, question);
}

const wines = {
  shop: 'Keller',
  wines: [
    { name: 'Riesling', price: '€12.50', year: 2021, sold_out: false, awards: null },
    { name: 'Malbec', price: '€9.90', year: 2019, sold_out: true, awards: 'silver' },
    { name: 'Barolo', price: '€48.00', year: 2016, sold_out: false, awards: 'gold' },
  ],
};
const crew = [
  { name: 'Ute', age: 16, arrived: true, joined: '2025-02-01' },
  { name: 'Lars', age: 44, arrived: false, joined: '2019-06-30' },
  { name: 'Mina', age: 29, arrived: true, joined: '2023-11-12' },
];
const tanks = {
  site: 'north',
  tanks: [
    { tank: 'A', celsius: 4, litres: 900 },
    { tank: 'B', celsius: 11, litres: 120 },
  ],
};

suite('what holds for items of a list', () => {
  test('a number of each is compared, and not how many there are', () => {
    check(wines, [
      ['Is there a wine that costs more than 40 euros?', true],
      ['Is there any wine over 50 euros?', false],
      ['Do all wines cost less than €50?', true],
      ['Does every wine cost at least 10 euros?', false],
      ['Do no wines cost more than 30 euros?', false],
      ['Do most wines cost under 20 euros?', true],
      ['Is any wine heavier than 2 kg?', null],
    ]);
    check(tanks, [
      ['Did any tank exceed 10 degrees?', true],
      ['Are all tanks below 5 celsius?', false],
      ['Does any tank hold less than 100 litres?', null],
      ['Does any tank have fewer than 150 litres?', true],
    ]);
    check({ readings: [3, 9, 4], unit: 'bar' }, [['Is there any reading over 8?', null]]);
  });

  test('everybody, anybody and nobody', () => {
    check(crew, [
      ['Has everybody arrived?', false],
      ['Has anyone arrived?', true],
      ['Is there someone who has not arrived?', true],
      ['Has nobody arrived?', false],
      ['Has no one arrived?', false],
      ['Is everyone older than 18?', false],
      ['Is anybody younger than 17?', true],
      ['Is everyone happy?', null],
    ]);
    // Which of two lists is meant, nobody has said.
    check({ crew, guests: crew }, [['Has everybody arrived?', null]]);
  });

  test('so many of them', () => {
    check(crew, [
      ['Have at least two of them arrived?', true],
      ['Has only one of them arrived?', false],
      ['Have most of them arrived?', true],
    ]);
    check(wines, [
      ['Are more than two of the wines sold out?', false],
      ['Is exactly one of the wines sold out?', true],
    ]);
  });

  test('what is denied', () => {
    check(wines, [
      ['Are all wines sold out?', false],
      ['Are not all wines sold out?', true],
      ["Aren't any wines sold out?", false],
      ['Is any wine not sold out?', true],
      ['Do all wines have awards?', false],
      ['Do some wines have awards?', true],
    ]);
  });

  test('what stands under names in place of places', () => {
    const build = { stages: { compile: 'passed', lint: 'passed', deploy: 'failed' }, branch: 'main' };
    check(build, [
      ['Did all stages pass?', false],
      ['Did every stage succeed?', false],
      ['Did any stage fail?', true],
      ['Have no stages failed?', false],
    ]);
    const rights = { user: 'eva', rights: { read: true, write: true, admin: false } };
    check(rights, [
      ['Are all rights granted?', false],
      ['Were any rights denied?', true],
      ['Are all rights useful?', null],
    ]);
    check({ address: { city: 'Bonn', zip: '53111' } }, [['Is any address passed?', null]]);
  });
});

suite('the item that is meant', () => {
  const names = ['Ute', 'Lars', 'Mina'];

  test('by the most or the least of what is measured', () => {
    assert.equal(chosen(crew, 'Who is the oldest?', names), 'Lars');
    assert.equal(chosen(crew, 'Who is youngest?', names), 'Ute');
    const bottles = ['Riesling', 'Malbec', 'Barolo'];
    assert.equal(chosen(wines, 'Which wine is the cheapest?', bottles), 'Malbec');
    assert.equal(chosen(wines, 'Which is the most expensive wine?', bottles), 'Barolo');
    assert.equal(chosen(wines, 'Which wine is the least expensive?', bottles), 'Malbec');
    assert.equal(chosen(tanks, 'Which tank is the warmest?', ['A', 'B']), 'B');
    assert.equal(chosen(wines, 'Which wine is the heaviest?', bottles), null);
    const sales = { sales: { north: 310, south: 290, west: 402 }, year: 2025 };
    assert.equal(chosen(sales, 'Where are the sales highest?', ['north', 'south', 'west']), null);
    assert.equal(chosen(sales, 'Which has the highest sales?', ['north', 'south', 'west']), 'west');
  });

  test('by the time that is kept', () => {
    const posts = {
      posts: [
        { slug: 'a', written: '2026-01-02T10:00:00Z' },
        { slug: 'b', written: '2026-01-02T18:00:00Z' },
      ],
    };
    assert.equal(chosen(posts, 'Which post is the newest?', ['a', 'b']), 'b');
    assert.equal(chosen(posts, 'Which is the earliest post?', ['a', 'b']), 'a');
  });

  test('by what does not hold', () => {
    assert.equal(chosen(crew, 'Who has not arrived?', names), 'Lars');
    assert.equal(chosen(crew, 'Who has arrived?', names), null);
    assert.equal(chosen(wines, 'Which wine is not sold out?', ['Riesling', 'Malbec', 'Barolo']), null);
    const jobs = [
      { job: 'scan', done: true },
      { job: 'mail', done: false },
    ];
    assert.equal(chosen(jobs, 'What is left to be done?', ['scan', 'mail']), 'mail');
    const lamps = {
      lamps: [
        { lamp: 'hall', broken: false },
        { lamp: 'attic', broken: true },
      ],
    };
    assert.equal(chosen(lamps, 'Which lamp is not broken?', ['hall', 'attic']), 'hall');
    assert.equal(chosen(lamps, 'Which lamp is broken?', ['hall', 'attic']), 'attic');
    const trucks = {
      trucks: ['T1', 'T2'].map((name) => ({ name, status: name === 'T1' ? 'parked' : 'moving' })),
    };
    assert.equal(chosen(trucks, 'Which truck is not parked?', ['T1', 'T2']), 'T2');
  });
});
