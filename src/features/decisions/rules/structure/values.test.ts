import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { NormalizedQuestion } from '../../engine.ts';
import { createRules } from '../index.ts';

function chance(entry: Json, question: string): number | null {
  const options = ['true', 'false'].map((name) => ({ name, description: '' }));
  const asked: NormalizedQuestion = { kind: 'noul', question, options };
  const state = { entry: entry as string, text: JSON.stringify(entry), images: [] };
  return createRules(state)(asked)?.[0] ?? null;
}
function check(entry: Json, cases: readonly (readonly [question: string, expected: boolean | null])[]) {
  for (const [question, expected] of cases) {
    const yes = chance(entry, question);
    assert.equal(yes === null ? null : yes > 0.5, expected, `${question} ${yes}`);
  }
}

suite('single values of a structure', () => {
  test('when something was done, if it was', () => {
    check(
      { rental: { bike: 'R4', returnedAt: null, reserved_on: '2026-05-01', paid_at: '2026-05-01T08:00Z' } },
      [
        ['Was the rental returned?', false],
        ['Has the bike been returned?', null],
        ['Was it reserved?', true],
        ['Has the rental been paid?', true],
        ['Has the customer paid?', true],
        ['Was it paid late?', null],
        ['Who returned the rental?', null],
      ],
    );
    check({ shipment: { id: 5, shipped_at: null } }, [['Has it been shipped?', false]]);
  });

  test('figures below and above zero', () => {
    check({ profit: -1200, margin: '4 %' }, [
      ['Is the profit negative?', true],
      ['Is the margin positive?', true],
    ]);
    check({ mood: 'negative' }, [['Is the mood positive?', false]]);
  });

  test('flags by their opposite', () => {
    check({ alarm: { armed: true, enabled: false } }, [
      ['Is the alarm disabled?', true],
      ['Is the alarm disarmed?', false],
    ]);
    check({ door: { name: 'west', locked: true }, id: 3 }, [
      ['Is the door unlocked?', false],
      ['Is the window unlocked?', false],
    ]);
    check({ shipped: true, paid: false }, [['Is it delivered?', null]]);
    check({ contract: { state: 'unsigned', pages: 4 } }, [['Is the contract signed?', false]]);
  });

  test('by the noun that a key ends in, or without the word for its state', () => {
    check({ delivery_fee: 4.9, payment_status: 'failed', comment_count: 0 }, [
      ['Is the fee above 4?', true],
      ['Has the payment failed?', true],
      ['Are there any comments?', false],
      ['Is the delivery late?', null],
    ]);
    check({ base_price: 10, total_price: 12 }, [['Is the price above 11?', null]]);
    check({ email_verified: true }, [['Is the address verified?', null]]);
    check(
      {
        goods: [
          { name: 'Garden hose', stock: 0 },
          { name: 'Rain barrel', stock: 7 },
        ],
      },
      [
        ['Is the hose in stock?', false],
        ['Is the barrel in stock?', true],
      ],
    );
    check(
      {
        goods: [
          { name: 'Garden hose', stock: 0 },
          { name: 'Shower hose', stock: 7 },
        ],
      },
      [['Is the hose in stock?', null]],
    );
  });

  test('money as it is written in several places', () => {
    for (const [price, question, expected] of [
      ["CHF 12'500.00", "Is the price above 12'000?", true],
      ['3 480,00 €', 'Is the price below 3000 euros?', false],
      ['₹2,50,000', 'Is the price more than 200,000 rupees?', true],
      ['1.750.000 EUR', 'Is the price at least 2 million euros?', false],
      ['(85.00)', 'Is the price above 20?', false],
    ] as const)
      check({ price, id: 9 }, [[question, expected]]);
    check({ price_cents: 1999, currency: 'EUR' }, [
      ['Is the price above 20 euros?', false],
      ['Is the price 19.99 euros?', true],
    ]);
  });

  test('two days, which are compared with each other', () => {
    check({ due: '2026-04-10', submitted_at: '2026-04-12T09:00:00Z', graded: '2026-04-12' }, [
      ['Was it submitted after the due date?', true],
      ['Was it submitted before it was due?', false],
      ['Was it submitted before it was graded?', null],
      ['Was it submitted after the holiday?', null],
    ]);
  });

  test('whom a question is about, where the state does not say', () => {
    check({ fines: 0, warnings: ['late'] }, [
      ['Does the reader have any fines?', false],
      ['Did the reader get a warning?', null],
      ['Is there a speed fine?', null],
    ]);
  });
});
