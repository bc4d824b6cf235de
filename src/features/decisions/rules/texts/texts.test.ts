import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { check, chosen } from '../ask.fixture.ts';

suite('two things of a text', () => {
  test('the one has more of what both have', () => {
    check(
      'The north tower is 88 m high, the south tower 120 m.',
      ['Is the south tower taller than the north tower?', true],
      ['Is the north tower taller than the south one?', false],
      ['Is the north tower older than the south tower?', null],
    );
    check(
      'The tent weighs 3 kg and the stove 400 g.',
      ['Is the stove lighter than the tent?', true],
      ['Is the lamp lighter than the tent?', null],
      ['Does the tent cost more than the stove?', null],
    );
    check('Route A has 12 stops, route B has 15 stops.', [
      'Does route A have fewer stops than route B?',
      true,
    ]);
  });

  test('what one no longer has, or lost, is not compared', () => {
    check('Sales rose by 5 percent, costs fell by 9 percent.', ['Did costs rise more than sales?', null]);
    check('Ina earns 40 euros, Jo used to earn 50 euros.', ['Does Ina earn more than Jo?', null]);
    check('The sack weighs 1.2 t, the box 900 kg.', ['Is the sack heavier than the box?', null]);
  });
});

suite('opening hours', () => {
  const hours = 'Library: open Mon-Wed 10-18, Thu 12:00-20:00, Fri 10 am to 2 pm, Sat and Sun closed.';
  test('by day and time', () => {
    check(
      hours,
      ['Is the library open on Sunday?', false],
      ['Is the library closed on Saturdays?', true],
      ['Is the library open on Tuesday at noon?', true],
      ['Is it open on Thursday at 11 am?', false],
      ['Can I return my books on Friday at half past three in the afternoon?', false],
      ['Could we come by on Monday at 17:30?', true],
      ['Is the library open at the weekend?', false],
      ['Is the library open on Monday at 18:00?', null],
      ['Is the library open today?', null],
      ['Is the library open after eight on Thursday?', null],
      ['Does the library lend films on Monday?', null],
    );
  });

  test('of every day, and of days that are not told', () => {
    check(
      'The bath is open daily from 7:00 to 21:00.',
      ['Is the bath open on Friday at 10 pm?', false],
      ['Is the bath open at 8:30 in the morning?', true],
    );
    check('Open Monday to Friday 8 am to 4 pm.', ['Are you open on Sunday?', false]);
    check('We are open on Tuesday 9 am to 4 pm.', ['Are you open on Friday?', null]);
  });

  test('exceptions and times that may be either half of a day are left', () => {
    check('Open daily 9-17 except on holidays.', ['Are you open on Monday?', null]);
    check('Open on Fridays from 2 to 6 pm, other days closed.', ['Are you open on Friday at 3 am?', null]);
    check('Bar, open Fri 9 to 11 pm.', ['Is the bar open on Friday at 10 am?', null]);
    check('We wanted in but it is closed on Mondays. On Wednesday we will try again.', [
      'Is it closed on Wednesday?',
      null,
    ]);
  });
});

suite('terms of a text, and what it tells of one', () => {
  test('a bound for all and the figure of one', () => {
    const rule = 'Letters over 500 g are sent as parcels.';
    check(`${rule} My letter weighs 620 g.`, ['Is my letter sent as a parcel?', true]);
    check(
      `${rule} My letter weighs 90 g.`,
      ['Is my letter sent as a parcel?', false],
      ['Is my letter lost?', null],
    );
    check(`${rule} My letter weighs about 500 g.`, ['Is my letter sent as a parcel?', null]);
    check(`Letters over 500 g are sent as parcels unless they are urgent. My letter weighs 620 g.`, [
      'Is my letter sent as a parcel?',
      null,
    ]);
    check(
      'Guests over 65 years enter free of charge. Mr Noor is 70 years old.',
      ['Does Mr Noor have to pay?', false],
      ['Is Mr Noor a guest?', null],
    );
    check(
      'Anyone under 21 years needs a permit from a parent. Mo is 19 years old.',
      ['Does Mo need a permit?', true],
      ['Does Mo have a permit?', null],
    );
    check('If the repair takes more than two weeks, you get a loan car. The repair took three weeks.', [
      'Am I entitled to a loan car?',
      true,
    ]);
  });

  test('a time for all and one that has passed', () => {
    const rule = 'Tickets can be cancelled within 48 hours.';
    check(
      `${rule} I booked three days ago.`,
      ['Can the tickets still be cancelled?', false],
      ['Is it too late to cancel the tickets?', true],
    );
    check(
      `${rule} I booked a day ago.`,
      ['Can the tickets still be cancelled?', true],
      ['Can the tickets still be found?', null],
    );
    check(`${rule} I booked two days ago.`, ['Can the tickets still be cancelled?', null]);
    check(`${rule} I did not book three days ago.`, ['Can the tickets still be cancelled?', null]);
  });

  test('a last day and another one', () => {
    check(
      'Essays are due by 2 May. Nour handed hers in on 30 April.',
      ['Was Nour too late?', false],
      ['Did Nour hand in her essay on time?', true],
      ['Was Nour late in May?', null],
      ['Did Piet hand in his essay on time?', null],
    );
    check('The yoghurt says use by 11 June 2026, and today is 14 June 2026.', [
      'Is the yoghurt past its date?',
      true,
    ]);
    check('Essays are due by 2 May. Nour handed hers in on 2 May.', ['Was Nour too late?', null]);
  });
});

test('a language that is none of those named', () => {
  const names = ['English', 'Spanish', 'none of the above'];
  assert.equal(
    chosen('Wo finde ich den Schlüssel für die Garage?', 'choice', 'Language of the message', names),
    'none of the above',
  );
  assert.equal(
    chosen('¿Dónde está la llave del garaje?', 'choice', 'Language of the message', names),
    'Spanish',
  );
});

test('shares of a text', () => {
  check(
    'Two thirds of the tenants signed the letter.',
    ['Did a majority sign the letter?', true],
    ['Have most tenants signed the letter?', true],
    ['Have all tenants signed the letter?', false],
    ['Did at least 70 percent of the tenants sign the letter?', false],
    ['Have most tenants signed the contract?', null],
  );
  check(
    '18 of the 40 seeds have sprouted.',
    ['Have most of the seeds sprouted?', false],
    ['Have more than 40 percent of the seeds sprouted?', true],
  );
  check('Maybe half of the seeds have sprouted, I did not count.', [
    'Have most of the seeds sprouted?',
    null,
  ]);
  check('Half of the seeds sprouted. A quarter of the seeds rotted.', [
    'Have most of the seeds sprouted?',
    null,
  ]);
});

test('whether anybody wrote after a question', () => {
  const open = 'Guest: Is the sauna free?\nReception: One moment.\nGuest: And is there a towel?';
  check(
    open,
    ['Has the last question been answered?', false],
    ["Has the guest's question been answered?", false],
  );
  check(
    'Guest: Is the sauna free?\nReception: Yes.',
    ['Has the question been answered?', null],
    ['Has anybody replied to the guest?', true],
  );
  check(
    'Guest: Is the sauna free?\nGuest: Hello?',
    ['Has anybody replied yet?', false],
    ['Has nobody replied?', null],
  );
  check('Ann: Is the sauna free?\nBob: No idea.', ['Has anybody replied?', null]);
  check(
    [
      { role: 'user', content: 'Where is my order?' },
      { role: 'user', content: 'Anyone?' },
    ],
    ['Has the agent answered?', false],
  );
});

suite('what a rule depends on, and a case that has it', () => {
  test('an exception that holds, or is denied', () => {
    const rule = 'Bicycles are carried free of charge except on Sundays.';
    check(
      `${rule} I travel on a Sunday.`,
      ['Is my bicycle carried free of charge?', false],
      ['Do I have to pay for my bicycle?', true],
    );
    check(`${rule} I do not travel on a Sunday.`, ['Is my bicycle carried free of charge?', true]);
    check(`${rule} I travel on a Monday.`, ['Is my bicycle carried free of charge?', null]);
    check(`${rule} I might travel on a Sunday.`, ['Is my bicycle carried free of charge?', null]);
    check(
      'Campfires are permitted unless there is a drought. There is a drought.',
      ['Are campfires permitted?', false],
      ['Are campfires forbidden?', true],
    );
  });

  test('what has to be, and what is enough', () => {
    const needed = 'Pupils may leave early only if a parent has signed.';
    check(
      `${needed} The parent of Ole has signed.`,
      ['May Ole leave early?', true],
      ['May Tine leave early?', null],
    );
    check(`${needed} The parent of Ole has not signed.`, ['May Ole leave early?', false]);
    const enough = 'If the siren sounds, the gates are closed.';
    check(`${enough} The siren sounds.`, ['Are the gates closed?', true], ['Are the gates new?', null]);
    check(`${enough} The siren does not sound.`, ['Are the gates closed?', null]);
  });

  test('what must not be', () => {
    const rule = 'The pool is heated as long as the cover is not off.';
    check(`${rule} The cover is off.`, ['Is the pool heated?', false]);
    check(`${rule} The cover is not off.`, ['Is the pool heated?', true]);
    check('Guests pay a fee unless they have no luggage. Lin has no luggage.', [
      'Does Lin pay a fee?',
      false,
    ]);
    check('Guests pay a fee if they have no key. Lin has no key.', ['Does Lin pay a fee?', true]);
    check('Guests pay a fee if they have no key. Lin has a key.', ['Does Lin pay a fee?', null]);
  });

  test('of somebody else, of two rules, and of figures nothing is said', () => {
    check('The keys are lent provided that a deposit is paid. Rolf paid the deposit. Uwe came later.', [
      'Are the keys lent to Uwe?',
      null,
    ]);
    check(
      'Entry is free unless there is a match. Parking is free unless there is a match. There is a match.',
      ['Is parking free?', null],
    );
    check('The fee is waived if you are older than 70. I am older than my brother, who is 70.', [
      'Is the fee waived?',
      null,
    ]);
  });
});
