import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createFrequencies } from './frequencies.ts';
import { CorpusSources } from '../../index/store/sources.ts';
import { toIndexWords } from './words.ts';
import { Corpus } from './corpus.ts';
import { openDatabase } from '../../../kernel/store/database.ts';

test('a word that is known is told as known, also when others make it forgotten while the rest is counted', async (t) => {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  t.after(() => database.close());
  const { db } = database;
  const source = { id: 's', kind: 'folder', location: '/s', options: '{}', everyMs: null, addedAtMs: 1 };
  await new CorpusSources(db).ensure(source);
  const text = 'A heron and a kea.';
  const passage = {
    heading: '',
    text,
    startAt: 0,
    vector: null,
    words: { heading: '', text: toIndexWords(text) },
  };
  const page = { sourceId: 's', url: 'file:///s/a', domain: '', title: 'a', headings: '', language: 'en' };
  const words = { title: 'a', headings: '' };
  const rest = { hash: 'h', textHash: 'h', etag: null, lastModified: null, date: null, lastUpdated: null };
  const document = { ...page, ...rest, fetchedAtMs: 1, embeddedBy: null, passages: [passage], words };
  await new Corpus(db).put([document]);

  let nowMs = 1;
  const frequencies = createFrequencies(db, () => nowMs);
  assert.deepEqual([...(await frequencies.of(['heron']))], [['heron', 1]]);
  const first = frequencies.of(['heron', 'kea', 'gull']);
  nowMs += 3_600_000;
  const second = frequencies.of(['gull']);
  assert.deepEqual([...(await first)], [['heron', 1], ['kea', 1], ['gull', 0]]); // prettier-ignore
  assert.deepEqual([...(await second)], [['gull', 0]]);
});
