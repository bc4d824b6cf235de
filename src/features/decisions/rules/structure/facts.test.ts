import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { check, chosen } from '../ask.fixture.ts';

suite('figures that a question measures and does not name', () => {
  test('a duration, a price, a weight and a size by what is said of them', () => {
    const job = { job: { name: 'export', elapsed_ms: 4_100, timeout_ms: 9_000, size_bytes: 7_000_000 } };
    check(
      job,
      ['Did the job take longer than 4 seconds?', true],
      ['Did it take longer than 5 seconds?', false],
      ['Is it larger than 6 MB?', true],
      ['Is it larger than 6.8 MB?', null],
      ['Does it cost more than 3 euros?', null],
      ['Did the lawyer take longer than a minute?', null],
    );
    check(
      {
        book: {
          title: 'Atlas',
          price: { amount_cents: 4_550, currency: 'EUR' },
          weight_g: 2_300,
          old_price: 60,
        },
      },
      ['Does the book cost more than 45 euros?', true],
      ['Is the book cheaper than 40 euros?', false],
      ['Is it heavier than 2 kg?', true],
      ['Does it cost more than 40 dollars?', null],
      ['Did it cost more than 50 euros before?', null],
    );
  });

  test('of two that fit, none is meant', () => {
    check({ latency_ms: 900, build_duration_s: 40 }, ['Did it take longer than 10 seconds?', null]);
  });

  test('degrees of Celsius and of Fahrenheit', () => {
    check(
      { oven: { temp_f: 392 } },
      ['Is the oven hotter than 190 °C?', true],
      ['Is the oven hotter than 210 degrees celsius?', false],
      ['Is the oven hotter than 300 degrees?', null],
    );
    check(
      { lake: { temperature_c: 21 } },
      ['Is the lake warmer than 70 F?', false],
      ['Is it warmer than 20 degrees?', true],
    );
  });

  test('an age by its figure, or by the day of a birth and that of today', () => {
    check(
      { applicant: { age: 17 } },
      ['Is the applicant an adult?', false],
      ['Is the applicant a minor?', true],
    );
    const nurse = { nurse: { name: 'Runa', birth_date: '1979-04-30' }, as_of: '2026-04-29' };
    check(
      nurse,
      ['Is Runa older than 45?', true],
      ['Is Runa at least 47 years old?', false],
      ['Is Runa an adult?', true],
      ['Is Runa older than 46?', null],
      ['Is her sister an adult?', null],
      ['Does Runa look like an adult?', null],
    );
    check({ nurse: { name: 'Runa', birth_date: '1979-04-30' } }, ['Is Runa an adult?', null]);
  });
});

suite('moments beside the one that a state calls now', () => {
  test('yesterday, within so many days, so long ago', () => {
    const ticket = {
      ticket: { opened_at: '2026-06-01T09:00:00Z', answered_at: '2026-06-09', closed_at: null },
      now: '2026-06-10T08:00:00Z',
    };
    check(
      ticket,
      ['Was the ticket answered yesterday?', true],
      ['Was the ticket opened yesterday?', false],
      ['Was the ticket opened within the last 7 days?', false],
      ['Was the ticket opened in the last two weeks?', true],
      ['Was it opened more than a week ago?', true],
      ['Was it opened more than a month ago?', false],
      ['Was it closed yesterday?', null],
      ['Was it opened within the last 3 hours?', false],
      ['Was it answered within the last 3 hours?', null],
    );
  });

  test('what was done by the key of when it was done, and no other thing', () => {
    const user = { user: { last_login: '2026-02-03T06:00:00Z' }, today: '2026-02-04' };
    check(
      user,
      ['Did the user log in yesterday?', true],
      ['Did the user sign in today?', false],
      ['Did the user log out yesterday?', null],
      ['Did the user sign up yesterday?', null],
    );
  });

  test('what holds until a day', () => {
    const card = (expires: string, more = {}) => ({
      card: { expires_on: expires, ...more },
      today: '2026-08-20',
    });
    check(card('2026-08-19'), ['Has the card expired?', true], ['Is the card still valid?', false]);
    check(card('2027-01-31'), ['Has the card expired?', false], ['Is the card not valid any more?', null]);
    check(card('2027-01-31'), ['Has the warranty expired?', null]);
    check(card('2026-08-20'), ['Has the card expired?', null]);
    check(card('2027-01-31', { status: 'blocked' }), ['Is the card still valid?', null]);
    check({ card: { expires_on: '2020-01-31' } }, ['Has the card expired?', null]);
  });

  test('of two that end, the one that is named', () => {
    const papers = {
      permit: { valid_until: '2026-03-31' },
      licence: { valid_until: '2029-03-31' },
      today: '2026-07-01',
    };
    check(
      papers,
      ['Is the permit still valid?', false],
      ['Has the licence expired?', false],
      ['Has it expired?', null],
    );
  });

  test('"this week" names no one', () => {
    check({ post: { created_at: '2026-05-01' } }, ['Was the post created this week?', null]);
  });
});

suite('figures beside their bounds', () => {
  test('above, below and within what is allowed, in other units as well', () => {
    check(
      { bag: { weight_kg: 24.5, max_weight_kg: 23, length_cm: 50 } },
      ['Is the bag too heavy?', true],
      ['Is the bag heavier than allowed?', true],
      ['Is the bag within the limit?', false],
      ['Is the bag too long?', null],
      ['Is the passenger too heavy?', null],
    );
    check(
      { photo: { size_kb: 900, size_limit_mb: 2 } },
      ['Is the photo too large?', false],
      ['Does the photo exceed the limit?', false],
      ['Has the photo ever exceeded the limit?', null],
    );
    check(
      { fridge: { celsius: -3, min_c: -2, max_c: 6 } },
      ['Is the fridge too cold?', true],
      ['Is it too warm?', false],
    );
  });

  test('a limit by the name of what it bounds', () => {
    const crane = { load_kg: 900, load_limit_kg: 800, wind_kmh: 20, wind_limit_kmh: 60 };
    check(
      crane,
      ['Does the crane exceed the load limit?', true],
      ['Is it above the wind limit?', false],
      ['Is it above the height limit?', null],
    );
  });

  test('a range beside a value', () => {
    const lab = (value: number) => ({
      test: 'iron',
      value,
      unit: 'µg/dL',
      normal_range: { low: 60, high: 170 },
    });
    check(lab(200), ['Is the value above normal?', true], ['Is the value within the normal range?', false]);
    check(
      lab(90),
      ['Is the value below the normal range?', false],
      ['Is the value outside the normal range?', false],
    );
  });

  test('a megabyte of either size', () => {
    check({ size_bytes: 10_400_000, max_size_mb: 10 }, ['Is it too large?', null]);
    check({ size_bytes: 11_000_000, max_size_mb: 10 }, ['Is it too large?', true]);
  });

  test('of several that are bounded, the one that is named', () => {
    const pump = { rpm: 900, max_rpm: 1_000, pressure_bar: 9, max_pressure_bar: 8 };
    check(
      pump,
      ['Is the pressure above the limit?', true],
      ['Is the rpm above the limit?', false],
      ['Is it above the limit?', null],
    );
  });
});

suite('flags in other words', () => {
  test('what is allowed, included, required and offered', () => {
    const room = {
      room: { smoking_allowed: false, breakfast_included: true, id_required: true, kids_welcome: true },
    };
    check(
      room,
      ['May I smoke in the room?', false],
      ['Does the room come with breakfast?', true],
      ['Do I need an id?', true],
      ['Can we bring children?', true],
      ['Is breakfast not included?', false],
      ['Is smoking prohibited?', true],
      ['Do the children smoke?', null],
      ['Do we have children?', null],
      ['Did they like the breakfast?', null],
    );
  });

  test('a flag that denies, and one of an item with a name', () => {
    check(
      { board: { reactions_disabled: true } },
      ['Are reactions enabled?', false],
      ['Are reactions turned off?', true],
    );
    check(
      {
        plugins: [
          { name: 'search', is_active: false },
          { name: 'maps', is_active: true },
        ],
      },
      ['Is maps enabled?', true],
      ['Is search enabled?', false],
    );
  });

  test('what should be, or is asked for, is no matter of what is', () => {
    check(
      { settings: { alerts_enabled: false } },
      ['Should alerts be enabled?', null],
      ['Did they ask for alerts to be enabled?', null],
    );
  });

  test('letters and digits that stand for yes and no', () => {
    check(
      { member: { gift_aid: 'Y', sms: 'N', phone_verified: 0, sessions: 1 } },
      ['Does the member receive sms?', false],
      ['Is the phone confirmed?', false],
      ['Is the phone not verified?', true],
    );
  });
});

suite('parts of a whole', () => {
  const course = {
    course: { places: 24, places_taken: 24, lessons_total: 10, lessons_completed: 4, teachers: 2 },
  };
  test('all, more than half, so many percent', () => {
    check(
      course,
      ['Are all places taken?', true],
      ['Have more than half of the lessons been completed?', false],
      ['Have at least 40 percent of the lessons been completed?', true],
      ['Are all teachers ill?', null],
      ['Are more than half of the teachers taken?', null],
      ['Were all lessons good?', null],
    );
    check({ tank: { free_l: 0, capacity_l: 90 } }, ['Is the tank full?', true]);
  });

  test('levels that name shares', () => {
    const levels = ['hardly any', 'less than half', 'more than half', 'all'];
    const party = { party: { invited: 40, accepted: 26, declined: 9 } };
    assert.equal(
      chosen(party, 'score', 'How many of those invited have accepted?', levels),
      'more than half',
    );
    assert.equal(chosen(party, 'score', 'How many of those invited have declined?', levels), null);
    const lot = { lot: { capacity: 300, occupied: 12 } };
    assert.equal(
      chosen(lot, 'score', 'How full is the lot?', ['almost empty', 'half full', 'almost full']),
      'almost empty',
    );
    assert.equal(
      chosen(lot, 'score', 'How expensive is the lot?', ['almost empty', 'half full', 'almost full']),
      null,
    );
  });
});

suite('what somebody may have, and who comes', () => {
  test('a thing that a list of them names', () => {
    const room = { room: { amenities: ['minibar', 'hair dryer', 'safe'], tags: ['balcony'] } };
    check(
      room,
      ['Does the room have a hair dryer?', true],
      ['Is there a safe?', true],
      ['Is there a balcony?', null],
      ['Is there a bathtub?', null],
      ['Is the safe broken?', null],
      ['Is the minibar free of charge?', null],
    );
    check(
      { card: { perks: ['fast_lane', 'sauna'] } },
      ['May this guest use the sauna?', true],
      ['May my brother use the sauna?', null],
    );
  });

  test('who has accepted comes', () => {
    const party = {
      guests: [
        { name: 'Ike Holm', rsvp: 'no' },
        { name: 'Jule', rsvp: 'yes' },
        { name: 'Kai', rsvp: 'maybe' },
      ],
    };
    check(
      party,
      ['Will Ike be there?', false],
      ['Is Jule coming?', true],
      ['Will Kai come?', null],
      ['Will Lea come?', null],
      ['Will Jule bring a cake?', null],
    );
  });
});
