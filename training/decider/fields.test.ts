import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { parseFields, readFields } from './fields.ts';

test('a field has its bare name first, then the other ways to say it', () => {
  assert.deepEqual(parseFields('# cooking | recipes\nStir the onions.\nBoil the rice.\n'), {
    labels: [['cooking', 'recipes', 'Cooking', 'It is about cooking.', 'The topic is recipes']],
    rows: [
      ['Stir the onions.', 0],
      ['Boil the rice.', 0],
    ],
  });
});

test('every field of the file has texts, and no text stands twice', () => {
  const { labels, rows } = readFields(join(import.meta.dirname, 'fields.txt'));
  assert.deepEqual([...new Set(rows.map(([, label]) => label))], [...labels.keys()]);
  assert.equal(new Set(rows.map(([text]) => text)).size, rows.length);
});
