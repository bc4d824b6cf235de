import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loadWordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { SourcePassage } from '../../model.ts';
import { titlesBeside } from './site.ts';

const vectors = loadWordVectors();
const page = (title: string, url = `https://x.example/${title}`): SourcePassage => ({
  id: 1,
  title,
  url,
  text: '',
});
const titles = (...pages: readonly [SourcePassage, ...SourcePassage[]]) =>
  titlesBeside(pages[0], pages, vectors);

suite('the pages of a site', () => {
  test('are called by names where titles are names', () => {
    assert.equal(titles(page('undici'), page('p-limit'), page('Chalk')), 'names');
  });

  test('are called by topics where titles are words', () => {
    assert.equal(titles(page('Rate limits'), page('Security'), page('Getting started')), 'topics');
    const folder = ['Holidays', 'Travel', 'Equipment'].map((one) => page(one, `file:///handbook/${one}.md`));
    assert.equal(titles(page('Sick leave', 'file:///handbook/sick.md'), ...folder), 'topics');
  });

  test('say nothing where there are few of them', () => {
    assert.equal(titles(page('Rate limits'), page('Security')), 'unclear');
    assert.equal(titles(page('undici')), 'unclear');
    const others = [1, 2, 3, 4, 5, 6, 7, 8].map((one) => page('Security', `https://${one}.example/a`));
    assert.equal(titles(page('Rate limits'), page('Backups'), page('Search'), ...others), 'unclear');
  });

  test('are those with the same host', () => {
    const others = ['undici', 'p-limit', 'pino-pretty'].map((one) => page(one, `https://y.example/${one}`));
    assert.equal(titles(page('Rate limits'), page('Security'), page('Backups'), ...others), 'topics');
  });
});
