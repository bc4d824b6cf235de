import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { readJsonLd } from './json-ld.ts';

const pageOf = (publisher: unknown) => JSON.stringify({ '@type': 'WebPage', publisher });

void suite('structured data of a page', () => {
  void test('the site is named by the first publisher whose name is one text', () => {
    const list = pageOf({ name: ['Gull', 'The Daily Gull'] });
    assert.equal(readJsonLd([list]).siteName, null);
    assert.equal(
      readJsonLd([list, pageOf('Gull'), pageOf({ name: 'The Daily Gull' })]).siteName,
      'The Daily Gull',
    );
  });
});
