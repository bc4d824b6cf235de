import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { NormalizedQuestion } from '../../engine.ts';
import { createRules } from '../index.ts';
import { parseTable } from './table.ts';

const noul = (question: string): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
});
const rulesOf = (entry: Json) =>
  createRules({ entry: entry as string, text: JSON.stringify(entry), images: [] });
const holds = (entry: Json, question: string): boolean | null => {
  const [yes] = rulesOf(entry)(noul(question)) ?? [];
  return yes === undefined ? null : yes > 0.5;
};
function chosen(entry: Json, question: string, names: readonly string[]): string | null {
  const options = names.map((name) => ({ name, description: '' }));
  const found = rulesOf(entry)({ kind: 'choice', question, options });
  return found === null ? null : (names[found.indexOf(Math.max(...found))] ?? null);
}

const fleet = {
  fleet: {
    trucks: [
      { name: 'T1', load_kg: 900, status: 'parked', leased: true },
      { name: 'T2', load_kg: 400, status: 'moving', leased: true },
      { name: 'T3', load_kg: 650, status: 'moving', leased: false },
    ],
    depot: { city: 'Ghent', country: 'BE' },
    rate: { amount: 3, currency: 'EUR' },
    driver: null,
    spare_tyres: 0,
  },
};

suite('items of a list', () => {
  test('all, any and none of them', () => {
    for (const [question, expected] of [
      ['Are all trucks moving?', false],
      ['Is any truck parked?', true],
      ['Are none of the trucks parked?', false],
      ['Are all trucks leased?', false],
      ['Is any truck not leased?', true],
      ['Are all trucks purple?', null],
      ['Is every driver angry?', null],
    ] as const)
      assert.equal(holds(fleet, question), expected, question);
  });

  test('which of them', () => {
    const names = ['T1', 'T2', 'T3'];
    assert.equal(chosen(fleet, 'Which truck has the highest load?', names), 'T1');
    assert.equal(chosen(fleet, 'Which truck has the lowest load?', names), 'T2');
    assert.equal(chosen(fleet, 'Which truck is parked?', names), 'T1');
    assert.equal(chosen(fleet, 'Which truck is moving?', names), null);
    assert.equal(chosen(fleet, 'What is the status of trucks[2]?', ['parked', 'moving', 'sold']), 'moving');
  });

  test('whether there is one', () => {
    assert.equal(holds(fleet, 'Is there a driver?'), false);
    assert.equal(holds(fleet, 'Was a driver assigned?'), false);
    assert.equal(holds(fleet, 'Are there spare tyres?'), false);
  });

  test('codes by their names', () => {
    assert.equal(chosen(fleet, 'What is the country of the depot?', ['Belgium', 'France']), 'Belgium');
    assert.equal(holds(fleet, 'Is the rate in US dollars?'), false);
    assert.equal(holds(fleet, 'Is the rate in euros?'), true);
  });
});

suite('tables', () => {
  test('in Markdown and with separated values', () => {
    const rows = [
      { city: 'Bonn', trams: 12 },
      { city: 'Kiel', trams: 0 },
    ];
    assert.deepEqual(parseTable('| city | trams |\n|---|---:|\n| Bonn | 12 |\n| Kiel | 0 |\n'), rows);
    for (const mark of [',', ';', '\t'])
      assert.deepEqual(parseTable(`city,trams\nBonn,12\nKiel,0`.replaceAll(',', mark)), rows);
    assert.equal(holds('name,trams\nBonn,12\nKiel,0', 'Does Kiel have trams?'), false);
    assert.equal(
      chosen('city,trams\nBonn,12\nKiel,0', 'Which city has the most trams?', ['Bonn', 'Kiel']),
      'Bonn',
    );
  });

  test('prose is none, however many commas it has', () => {
    for (const text of [
      'We came, we saw\nWe went, we slept\nWe left, we wrote',
      'Hello,\nthanks for the letter,\nall is well,',
      'one line, of text',
      '',
    ])
      assert.equal(parseTable(text), null, text);
  });
});
