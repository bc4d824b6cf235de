import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assert as check, constantFrom, property, shuffledSubarray, string as anyString } from 'fast-check';

import type { Distribution, Entry } from '../engine.ts';
import { normalizeQuestion } from '../normalize-question.ts';
import { renderState } from '../prompt.ts';
import type { Question } from '../question.ts';
import { tokensOf } from './asked.ts';
import { createRules } from './index.ts';
import { answered, left } from './phrasings.fixture.ts';

function ask(entry: Entry, question: Question): Distribution | null {
  return createRules({ entry, text: renderState(entry), images: [] })(normalizeQuestion(question, 'q'));
}
const noul = (instructions: string): Question => ({ type: 'noul', instructions });
const choice = (instructions: string, ...names: readonly string[]): Question => ({
  type: 'choice',
  instructions,
  criteria: Object.fromEntries(names.map((name) => [name, null])),
});
const score = (instructions: string, ...criteria: string[]): Question => ({
  type: 'score',
  instructions,
  criteria,
});
const chance = (entry: Entry, question: string) => ask(entry, noul(question))?.[0] ?? null;

function favourite(entry: Entry, question: Question): number | null {
  const chances = ask(entry, question);
  return chances === null || Math.max(...chances) < 0.75 ? null : chances.indexOf(Math.max(...chances));
}

/** States that hold what the questions mention. */
const states: readonly Entry[] = [
  'I am angry, the e-mail to anna@example.com was lost. Call +49 171 1234567, I paid $250 on 2026-03-01 for 5 lamps.',
  'A text of a few words about nothing much at all.',
  {
    text: 'The third lamp of my order is damaged',
    plan: 'free',
    status: 'pending',
    total: 120,
    order: { created: '2026-03-01', late_fee: 3 },
    items: [
      { name: 'lamp', status: 'shipped' },
      { name: 'desk', status: 'pending' },
      { name: 'rug', status: 'failed' },
    ],
  },
];

suite('what rules answer', () => {
  for (const [state, question, isYes] of answered) {
    test(`${isYes ? 'yes' : 'no'}: ${question} ${JSON.stringify(state).slice(0, 30)}`, () => {
      const yes = chance(state as Entry, question);
      assert.ok(yes !== null && (isYes ? yes >= 0.75 : yes <= 0.25), String(yes));
    });
  }

  test('yes and no as options are the same question', () => {
    for (const [state, question] of answered) {
      const yes = chance(state as Entry, question) ?? -1;
      assert.deepEqual(ask(state as Entry, choice(question, 'no', 'yes')), [1 - yes, yes]);
    }
  });

  test('a question turned around by the prompt gives the other answer', () => {
    for (const [state, question] of answered) {
      const yes = chance(state as Entry, question) ?? -1;
      const turned = chance(state as Entry, `Is the opposite of the following the case? ${question}`);
      assert.equal(turned, 1 - yes, question);
    }
  });
});

suite('what rules leave', () => {
  for (const question of left) {
    test(question, () => {
      for (const state of states) assert.equal(ask(state, noul(question)), null);
    });
  }

  test('a question whose answers are defined by the caller', () => {
    const defined: Question = {
      type: 'noul',
      instructions: 'Does the text contain an e-mail address?',
      criteria: { true: 'One of a company' },
    };
    assert.equal(ask('anna@example.com', defined), null);
  });

  test('marks without end are cut, for sorting them takes the square of their number', () => {
    const [, quoted] = tokensOf(`word "e${'\u0301\u0316'.repeat(500)}"`);
    assert.ok((quoted?.text.length ?? 0) < 40, String(quoted?.text.length));
  });

  test('any words', () => {
    const words =
      'text message customer order third item plan more than 100 status angry about with free'.split(' ');
    const sentences = shuffledSubarray(words, { minLength: 1 });
    check(
      property(sentences, constantFrom(...states), (picked, state) => {
        const chances = ask(state, noul(picked.join(' ')));
        assert.ok(chances === null || (chances[0] ?? -1) + (chances[1] ?? -1) === 1);
      }),
    );
    check(
      property(anyString({ maxLength: 60 }), (question) => {
        for (const state of states) ask(state, noul(`${question}x`));
      }),
    );
  });
});

suite('a statement and its negation sum to exactly 1', () => {
  const pairs = [
    ['The text contains an e-mail address', 'The text does not contain an e-mail address'],
    ['Is there a phone number in the text?', 'Is there no phone number in the text?'],
    ['Does the text have a link?', "Doesn't the text have a link?"],
    ['Is the text empty?', 'Is the text not empty?'],
    ['Is the message written in German?', 'Is the message not written in German?'],
    ['Does the text repeat itself?', 'Does the text not repeat itself?'],
    ['A date is given in the text', 'No date is given in the text'],
    ['Does the text contain links?', 'Is the text free of links?'],
    ['Does the text mention an amount of money?', 'Does the text not mention an amount of money?'],
    ['Does the text have more than 8 words?', 'Does the text have at most 8 words?'],
  ] as const;
  const texts = [
    '',
    'a',
    'Hallo, ich warte',
    'call 555-1234 today',
    'www.example.org',
    'tomorrow at 5, $3',
    'ja ja ja ja',
  ];

  test('of a text', () => {
    for (const text of texts) {
      for (const [statement, negation] of pairs) {
        const [yes, no] = [chance(text, statement), chance(text, negation)];
        assert.ok(yes !== null && no !== null, statement);
        assert.equal(yes + no, 1, `${statement} ${text}`);
      }
    }
  });

  test('of a structure', () => {
    const state = {
      plan: 'free',
      verified: true,
      total: 3,
      items: [{ status: 'open' }, { status: 'closed' }],
    };
    for (const [statement, negation] of [
      ['Is the plan free?', 'Is the plan not free?'],
      ['Is the plan enterprise?', "Isn't the plan enterprise?"],
      ['Is the user verified?', 'Is the user not verified?'],
      ['Is the total more than 5?', 'Is the total not more than 5?'],
      ['Is the first item closed?', 'Is the first item not closed?'],
      ['Are there more than 2 items?', 'Are there not more than 2 items?'],
    ] as const) {
      const [yes, no] = [chance(state, statement), chance(state, negation)];
      assert.ok(yes !== null && no !== null, statement);
      assert.equal(yes + no, 1, statement);
    }
  });
});

suite('choices and scores', () => {
  const statuses = ['shipped', 'pending', 'delivered', 'cancelled', 'failed'];
  const state = {
    items: statuses.map((status, at) => ({ id: `A-${at}`, status })),
    user: { plan: 'pro', age: 31 },
  };

  test('five questions that name five items get their own answers', () => {
    const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];
    for (const [at, ordinal] of ordinals.entries()) {
      for (const question of [
        `What is the status of the ${ordinal} item?`,
        `Which status has item ${at + 1}?`,
        `items[${at}].status`,
        `What is the status of A-${at}?`,
      ])
        assert.equal(favourite(state, choice(question, ...statuses)), at, question);
    }
  });

  test('a value by its name', () => {
    assert.equal(favourite(state, choice('Which plan is the user on?', 'free', 'pro', 'enterprise')), 1);
    assert.equal(
      favourite(state, score("What is the user's age?", 'under 18', '18 to 30', 'more than 30')),
      2,
    );
    assert.equal(ask(state, choice('Which plan suits the user?', 'free', 'pro', 'enterprise')), null);
  });

  test('numbers below zero are not those above', () => {
    const levels = ['-2', '-1', '1', '2'];
    for (const [at, level] of levels.entries())
      assert.equal(favourite({ change: Number(level), id: 7 }, score('What is the change?', ...levels)), at);
    const ranges = ['below -5', '-5 to 0', 'above 0'];
    assert.equal(favourite({ change: -3, id: 7 }, score('What is the change?', ...ranges)), 1);
  });

  test('how many', () => {
    assert.equal(favourite(state, choice('How many items are there?', '3', '4', '5', '6')), 2);
    assert.equal(favourite(state, score('How many items?', 'none', '1 or 2', '3 to 5', 'more than 5')), 2);
    assert.equal(
      favourite('a@b.com and c@d.com', choice('How many e-mail addresses are there?', '1', '2', '3')),
      1,
    );
    assert.equal(favourite('A table for 6 people', score('How many people?', '1-2', '3-5', '6+')), 2);
    assert.equal(ask('A table for me', score('How many people?', '1-2', '3-5', '6+')), null);
  });

  test('languages', () => {
    const options = ['english', 'german', 'french', 'es', 'other'];
    const texts = [
      'Where is my parcel? I have been waiting for it.',
      'Wo ist mein Paket? Ich warte noch immer.',
      'Où est mon colis ? Je ne l’ai pas reçu.',
      '¿Dónde está mi paquete? Todavía no ha llegado.',
      'Gdzie jest moja paczka? Jeszcze nie mam.',
    ];
    for (const [at, text] of texts.entries()) {
      assert.equal(favourite(text, choice('Which language is this?', ...options)), at, text);
      assert.equal(favourite(text, choice('What language is the message written in?', ...options)), at, text);
    }
    assert.equal(ask(texts[0] ?? '', choice('Which language does the customer learn?', ...options)), null);
  });

  test('the order of options changes nothing', () => {
    const question = 'What is the status of the third item?';
    const base = ask(state, choice(question, ...statuses)) ?? [];
    check(
      property(shuffledSubarray([...statuses.keys()], { minLength: statuses.length }), (order) => {
        const moved = ask(state, choice(question, ...order.map((at) => statuses[at] ?? '')));
        assert.deepEqual(
          moved,
          order.map((at) => base[at]),
        );
      }),
    );
  });
});

suite('nothing to go on', () => {
  const empty: readonly Entry[] = [
    '',
    ' \n',
    '...',
    '🙂',
    {},
    [],
    { subject: '', body: null },
    [{ role: 'user', content: '' }],
  ];

  test('gives every answer the same chance', () => {
    for (const state of empty) {
      assert.deepEqual(ask(state, noul('Is the customer angry?')), [0.5, 0.5]);
      assert.deepEqual(
        ask(state, choice('', 'payments', 'orders', 'login', 'other')),
        [0.25, 0.25, 0.25, 0.25],
      );
      assert.deepEqual(ask(state, score('How angry?', 'calm', 'angry')), [0.5, 0.5]);
    }
  });

  test('one letter, digit or truth is something', () => {
    for (const state of ['a', '7', { open: false }, { body: 'x' }, [0]] as readonly Entry[])
      assert.equal(ask(state, noul('Is the customer angry?')), null);
  });
});

suite('units', () => {
  test('amounts of two currencies are not compared', () => {
    assert.equal(chance({ total: 120, currency: 'USD' }, 'Is the total more than 100 euros?'), null);
    assert.equal(chance({ total: 100, currency: 'USD' }, 'Is the total 100 euros?'), null);
    assert.equal(chance('The total is $250', 'Is the total more than 100 euros?'), null);
    assert.equal(chance({ weight: '5 kg' }, 'Is the weight more than 3 miles?'), null);
  });

  test('words are not counted where no spaces stand between them', () => {
    assert.equal(chance('我要退款谢谢', 'Does the text have more than 3 words?'), null);
  });

  test('what a state includes without saying so is left', () => {
    const items = ['delivered', 'shipped'].map((status, at) => ({ name: `item ${at}`, status }));
    assert.equal(chance({ status: 'delivered', id: 7 }, 'Has the order been shipped?'), null);
    assert.equal(chance({ items }, 'Have all items been shipped?'), null);
    assert.equal(chance({ state: 'in progress', id: 7 }, 'Is the ticket open?'), null);
    assert.ok((chance({ status: 'shipped', id: 7 }, 'Has the order been delivered?') ?? 1) < 0.1);
  });

  test('two letters are a country where the key says so', () => {
    assert.equal(chance({ department: 'IT', role: 'dev' }, 'Is the employee from Italy?'), null);
    assert.equal(chance({ name: 'Ana', state: 'CA' }, 'Is the customer from Canada?'), null);
    assert.ok((chance({ name: 'Ana', countryCode: 'IT' }, 'Is the customer from Italy?') ?? 0) > 0.9);
  });

  test('what begins like a question and ends in a full stop is left', () => {
    for (const text of ['When I arrived, nobody was there.', 'How do I reset it.'])
      assert.equal(chance(text, 'Is the message a question?'), null);
  });

  test('what asks without a mark in another language is left', () => {
    for (const text of ['Wo ist mein Paket und wann kommt es', '見積もりはいくらですか'])
      assert.equal(chance(text, 'Is the message a question?'), null);
  });

  test('versions are no decimals', () => {
    assert.equal(chance({ version: '2.10', id: 7 }, 'Is the version greater than 2.9?'), null);
    assert.equal(chance({ release: '2.10', id: 7 }, 'Is the release 2.1?'), null);
  });

  test('what a text compares itself is left', () => {
    assert.equal(chance('I finished in under three hours', 'Did they finish in under three hours?'), null);
    assert.equal(chance('Up to 40 cm of snow has fallen', 'Has more than 30 cm of snow fallen?'), null);
  });

  test('items and pieces are counted where both agree', () => {
    const cart = { items: ['lamp', 'desk'].map((name) => ({ name, qty: 2 })), total: 8 };
    assert.ok((chance(cart, 'Are there more than one item?') ?? 0) > 0.9);
    assert.equal(chance(cart, 'Are there more than two items?'), null);
    assert.equal(ask(cart, score('How many items are there?', '1', '2', '3', '4')), null);
    assert.equal(favourite(cart, score('How many different items are there?', '1', '2', '3', '4')), 1);
  });

  test('what a text tells of somebody is left', () => {
    assert.equal(chance('She left a note with her number.', 'Did she leave her contact details?'), null);
    assert.equal(chance('He speaks some German, I heard.', 'Does he speak German?'), null);
    const checked = { allowed: false, alternative: 'lib-bar', policy: 'lib-foo' };
    assert.equal(chance(checked, 'Is lib-bar allowed?'), null);
  });

  test('what else somebody speaks than the language of the text is left', () => {
    assert.equal(chance('She has taught for nine years in Oslo.', 'Does she speak Danish?'), null);
    assert.equal(chance('He can start on Monday and lives nearby.', 'Does he not speak Greek?'), null);
    const yes = chance(
      'When do you open, and is there a lift for my mother?',
      'Does the customer speak English?',
    );
    assert.ok(yes !== null && yes >= 0.75 && yes < 0.9, String(yes));
  });

  test('two numbers beside the same words are left', () => {
    assert.equal(chance('The total is $250, the total was $80', 'Is the total more than 100?'), null);
    assert.equal(chance('The total is not 250', 'Is the total more than 100?'), null);
  });
});
