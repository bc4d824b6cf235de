import { suite, test } from 'node:test';
import { check } from './ask.fixture.ts';

suite('times in words', () => {
  test('halves and quarters of an hour, and times of two units', () => {
    check(
      'The surgery took an hour and a half.',
      ['Did the surgery last longer than 80 minutes?', true],
      ['Did the surgery take more than two hours?', false],
    );
    check('The drive takes 2 hours 20 minutes.', [
      'Does the drive take more than two and a half hours?',
      false,
    ]);
    check('The break was a quarter of an hour.', ['Was the break shorter than half an hour?', true]);
    check('The course lasts between 1 hour and 90 minutes.', [
      'Does the course last longer than two hours?',
      null,
    ]);
  });

  test('late, delayed and behind schedule are one', () => {
    check(
      'The coach came 40 minutes behind schedule.',
      ['Was the coach delayed by more than half an hour?', true],
      ['Was it late by at least an hour?', false],
    );
    check('The coach came 40 minutes early.', ['Was it late by at least half an hour?', null]);
    check('He hid 3 minutes behind the house.', ['Was he late by more than a minute?', null]);
  });

  test('what is nearly so much is not compared with so much', () => {
    check('We waited nearly an hour.', ['Did the customer wait longer than an hour?', null]);
    check('We waited nearly an hour.', ['Did the customer wait longer than 20 minutes?', true]);
  });
});
