import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modifiedHeader, pairDates, toPageDate } from './dates.ts';

const now = Date.UTC(2026, 0, 15, 12);

test('a date keeps the day of its writer, in every form that pages use', () => {
  const forms = {
    '2024-03-05': '2024-03-05',
    '2024-03-05T23:59:59-11:00': '2024-03-05',
    '2024-3-5 10:00': '2024-03-05',
    '20240305': '2024-03-05',
    '20240305T101500Z': '2024-03-05',
    "D:20240305235959-08'00'": '2024-03-05',
    'Tue, 05 Mar 2024 23:30:00 GMT': '2024-03-05',
    '5 March 2024': '2024-03-05',
    'March 5th, 2024': '2024-03-05',
    'Tuesday, March 5, 2024': '2024-03-05',
    '2024-02-29': '2024-02-29',
    '1851-09-18': '1851-09-18',
    '2026-01-16': '2026-01-16',
  };
  for (const [text, date] of Object.entries(forms)) assert.equal(toPageDate(text, now), date, text);
});

test('what is no date, no day of the calendar or not yet is none', () => {
  const none = [
    null, undefined, '', 'yesterday', '2024', '2024-03', '05/03/2024', '2023-02-29', '2024-13-01', '2024-00-10', '2024-04-31',
    '0001-01-01', '1970-01-01T00:00:00Z', '2026-01-17', '2031-05-05', '99999999', '1709596800', '1610121500', '1610121500000', '1709596800000',
    '2024-03-055', 'Foo 5, 2024', `2024-03-05${' '.repeat(300)}`,
  ]; // prettier-ignore
  for (const text of none) assert.equal(toPageDate(text, now), null, String(text));
});

test('nothing changes before it is published', () => {
  assert.deepEqual(pairDates('2024-03-05', '2024-03-04'), { date: '2024-03-05', lastUpdated: null });
  assert.deepEqual(pairDates('2024-03-05', '2024-03-05'), { date: '2024-03-05', lastUpdated: '2024-03-05' });
  assert.deepEqual(pairDates(null, '2024-03-04'), { date: null, lastUpdated: '2024-03-04' });
});

test('the head of an answer that was made just then tells no change', () => {
  const sent = 'Wed, 14 Jan 2026 10:00:00 GMT';
  assert.equal(modifiedHeader('Mon, 05 Jan 2026 10:00:00 GMT', sent, now), '2026-01-05');
  assert.equal(modifiedHeader('Wed, 14 Jan 2026 09:59:59 GMT', sent, now), null);
  assert.equal(modifiedHeader(new Date(now).toUTCString(), undefined, now), null);
  assert.equal(modifiedHeader('soon', sent, now), null);
  assert.equal(modifiedHeader(undefined, sent, now), null);
});
