import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';

import { createValidator } from '../../src/kernel/http/validate.ts';
import {
  findConflict,
  ImageDomainFilter,
  ImageFormatFilter,
  refuseConflict,
  searchFilterFields,
  toFilters,
  toImageFilters,
  toIsoDate,
} from '../../src/features/search/wire/filters.ts';

const validator = createValidator(Type.Object(searchFilterFields));
const problemOf = (value: unknown) => validator.explain(value)?.path.join('.') ?? null;

test('dates of both forms exist in the calendar or are none', () => {
  for (const [text, iso] of [
    ['3/7/2024', '2024-03-07'],
    ['03/07/2024', '2024-03-07'],
    ['12/31/1999', '1999-12-31'],
    ['2024-03-07', '2024-03-07'],
    ['2/29/2024', '2024-02-29'],
    ['2/29/2023', null],
    ['13/1/2024', null],
    ['0/1/2024', null],
    ['4/31/2024', null],
    ['2024-3-7', null],
    ['2024-02-30', null],
    ['7.3.2024', null],
    ['3/7/24', null],
    ['2024-03-07T00:00:00Z', null],
    [' 2024-03-07', null],
    ['2024-03-07\n', null],
    ['', null],
  ] as const) {
    assert.equal(toIsoDate(text), iso, text);
    assert.equal(
      problemOf({ search_after_date_filter: text }),
      iso === null ? 'search_after_date_filter' : null,
      text,
    );
  }
});

test('domains are host names, up to twenty, with a hyphen to exclude', () => {
  for (const good of [
    'example.com',
    '-example.com',
    'a.b.c.example.co.uk',
    'gov',
    'Example.COM',
    'münchen.de',
    'a_b.example.com',
    '127.0.0.1',
  ])
    assert.equal(problemOf({ search_domain_filter: [good] }), null, good);
  for (const bad of [
    '',
    '-',
    'https://example.com',
    'example.com/path',
    'example.com:8080',
    'user@example.com',
    'exa mple.com',
    '--example.com',
    '.example.com',
    'example..com',
    '*.example.com',
    'a'.repeat(64),
    `${'a.'.repeat(126)}com`,
    7,
  ])
    assert.equal(problemOf({ search_domain_filter: [bad] }), 'search_domain_filter.0', String(bad));
  const many = (count: number) => ({
    search_domain_filter: Array.from({ length: count }, (_, i) => `d${i}.org`),
  });
  assert.equal(problemOf(many(20)), null);
  assert.equal(problemOf(many(21)), 'search_domain_filter');
});

test('languages are of ISO 639-1, up to twenty', () => {
  assert.equal(problemOf({ search_language_filter: ['en', 'DE', 'zh'] }), null);
  for (const bad of ['eng', 'e', 'xx', 'en-US', ''])
    assert.equal(problemOf({ search_language_filter: [bad] }), 'search_language_filter.0', bad);
  assert.equal(
    problemOf({ search_language_filter: Array.from({ length: 21 }, () => 'en') }),
    'search_language_filter',
  );
});

test('null is absent, in every field', () => {
  const nothing = Object.fromEntries(Object.keys(searchFilterFields).map((name) => [name, null]));
  assert.equal(problemOf(nothing), null);
  assert.deepEqual(toFilters(nothing), toFilters({}));
});

test('an age and dates of publication stand against each other, dates of change do not', () => {
  const after = { search_recency_filter: 'week', search_after_date_filter: '2024-01-01' } as const;
  assert.equal(findConflict(after)?.param, 'search_recency_filter');
  assert.equal(
    findConflict({ search_recency_filter: 'day', search_before_date_filter: '1/1/2024' })?.param,
    'search_recency_filter',
  );
  assert.equal(findConflict({ search_recency_filter: 'day', last_updated_after_filter: '1/1/2024' }), null);
  assert.equal(findConflict({ search_recency_filter: null, search_after_date_filter: '1/1/2024' }), null);
  assert.throws(() => refuseConflict(after), { code: 'invalid_value', param: 'search_recency_filter' });
});

test('after may be the day of before and not later, whatever their forms', () => {
  const dates = (after: string, before: string) =>
    findConflict({ search_after_date_filter: after, search_before_date_filter: before });
  assert.equal(dates('1/2/2024', '2024-01-02'), null);
  assert.equal(dates('2024-01-03', '1/2/2024')?.param, 'search_after_date_filter');
  assert.equal(dates('10/1/2024', '9/1/2024')?.param, 'search_after_date_filter', 'not compared as text');
  assert.equal(
    findConflict({ last_updated_after_filter: '2024-01-03', last_updated_before_filter: '2024-01-02' })
      ?.param,
    'last_updated_after_filter',
  );
});

test('fields become filters in the words of the house', () => {
  assert.deepEqual(
    toFilters({
      search_domain_filter: ['Example.com', '-bad.example.com', 'münchen.de', 'example.com'],
      search_language_filter: ['EN', 'de', 'en'],
      search_after_date_filter: '1/2/2024',
      search_before_date_filter: '2024-12-31',
      last_updated_after_filter: '2024-02-03',
    }),
    {
      allowDomains: ['example.com', 'xn--mnchen-3ya.de'],
      denyDomains: ['bad.example.com'],
      languages: ['en', 'de'],
      publishedAfter: '2024-01-02',
      publishedBefore: '2024-12-31',
      updatedAfter: '2024-02-03',
      updatedBefore: null,
      maxAgeMs: null,
    },
  );
  assert.equal(toFilters({ search_recency_filter: 'hour' }).maxAgeMs, 3_600_000);
});

test('formats and domains of pictures are ten at most', () => {
  const formats = createValidator(ImageFormatFilter);
  assert.ok(formats.check(['png', 'jpg', 'webp']));
  for (const bad of [['.png'], ['PNG'], [''], Array.from({ length: 11 }, () => 'png')])
    assert.ok(!formats.check(bad), String(bad));
  const domains = createValidator(ImageDomainFilter);
  assert.ok(domains.check(['-gettyimages.com']));
  assert.ok(!domains.check(Array.from({ length: 11 }, (_, i) => `d${i}.org`)));
  assert.deepEqual(toImageFilters(['-gettyimages.com', 'a.org']).denyDomains, ['gettyimages.com']);
});
