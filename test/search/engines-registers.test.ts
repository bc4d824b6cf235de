import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';

import type { SearchQuery } from '../../src/features/search/engine.ts';
import { query } from '../support/upstream-search.ts';
import { filters, startEngineBench } from '../support/upstream-search-bench.ts';
import * as replies from '../support/upstream-search-registers.ts';

const { ask } = await startEngineBench({ after });

suite('engines of articles, filings and people', () => {
  const academic = (more: Partial<SearchQuery> = {}) => query('open access', { kind: 'academic', ...more });

  test('openalex: works with abstracts put together, authors with what is known of them', async () => {
    const range = filters({ publishedAfter: '2018-01-01', languages: ['en', 'de'] });
    const works = await ask('openalex', replies.openalexWorks, academic({ filters: range }));
    assert.equal(works.url.pathname, '/works');
    assert.equal(works.parameters['filter'], 'from_publication_date:2018-01-01,language:en|de');
    assert.deepEqual(works.hits, [
      {
        url: 'https://doi.org/10.7717/peerj.4375',
        title: 'The state of OA: a large-scale analysis',
        snippet: 'Heather Piwowar, Jason Priem. PeerJ. Despite growing interest in Open Access',
        date: '2018-02-13',
        lastUpdated: null,
        language: 'en',
      },
    ]);
    const authors = await ask('openalex', replies.openalexAuthors, query('Jason Priem', { kind: 'people' }));
    assert.equal(authors.url.pathname, '/authors');
    assert.equal(authors.hits[0]?.url, 'https://orcid.org/0000-0001-6187-6610');
    assert.match(
      authors.hits[0].snippet,
      /OurResearch\. Topics: scientometrics\. 53 works\. cited 3117 times/,
    );
  });

  test('arxiv: entries of its feed; an error that looks like a feed is an error', async () => {
    const asked = query('What is multi-electron production?', {
      kind: 'academic',
      filters: filters({ publishedBefore: '2004-01-01' }),
    });
    const { hits, parameters } = await ask('arxiv', replies.arxivReply, asked);
    assert.equal(
      parameters['search_query'],
      'all:multi-electron AND all:production AND submittedDate:[199101010000 TO 200401012359]',
    );
    assert.deepEqual(
      hits.map(({ url, date, lastUpdated }) => [url, date, lastUpdated]),
      [['https://arxiv.org/abs/hep-ex/0307015v1', '2003-07-07', '2003-07-08']],
    );
    assert.match(hits[0]?.snippet ?? '', /H1 Collaboration\. Multi-electron .* momentum < 5 GeV\./);
    await assert.rejects(ask('arxiv', replies.arxivError), { code: 'bad_gateway' });
    await assert.rejects(ask('arxiv', '<!doctype html><p>no feed'), { code: 'bad_gateway' });
  });

  test('crossref: a year alone is no date', async () => {
    const { hits, parameters } = await ask(
      'crossref',
      replies.crossrefReply,
      academic({ filters: filters({ publishedAfter: '2019-01-01' }) }),
    );
    assert.equal(parameters['filter'], 'from-pub-date:2019-01-01');
    assert.deepEqual(
      hits.map(({ date }) => date),
      ['2020-02-03', null],
    );
    assert.equal(
      hits[0]?.snippet,
      'Peng Zhou. Nature. Since the outbreak of severe acute respiratory syndrome.',
    );
    assert.equal(hits[0].url, 'https://dx.doi.org/10.1038/s41586-020-2012-7');
  });

  test('sec: filings by the address of their document', async () => {
    const asked = query('iPhone revenue', {
      kind: 'sec',
      filters: filters({ publishedAfter: '2023-01-01' }),
    });
    const { hits, parameters } = await ask('sec', replies.secReply, asked);
    assert.deepEqual(parameters, {
      q: 'iPhone revenue',
      dateRange: 'custom',
      startdt: '2023-01-01',
      enddt: '2026-11-20',
    });
    assert.deepEqual(hits, [
      {
        url: 'https://www.sec.gov/Archives/edgar/data/320193/000032019323000106/aapl-20230930.htm',
        title: 'Apple Inc. (AAPL): 10-K, 2023-09-30',
        snippet: '10-K of Apple Inc. (AAPL), period ending 2023-09-30, filed 2023-11-03, 10-K',
        date: '2023-11-03',
        lastUpdated: null,
        language: 'en',
      },
    ]);
  });

  test('orcid: people with institutions; its query language is not reachable', async () => {
    const asked = query('Jason Priem" OR orcid:*', { kind: 'people' });
    const { hits, parameters } = await ask('orcid', replies.orcidReply, asked);
    assert.equal(parameters['q'], 'Jason Priem or orcid');
    assert.deepEqual(
      [hits[0]?.url, hits[0]?.title],
      ['https://orcid.org/0000-0001-6187-6610', 'Jason Priem'],
    );
    assert.match(
      hits[0]?.snippet ?? '',
      /OurResearch, University of North Carolina\. also known as J\. Priem/,
    );
    assert.deepEqual((await ask('orcid', { 'expanded-result': null, 'num-found': 0 })).hits, []);
  });

  test('wikidata: people in the order of the search, whatever the order of the answer', async () => {
    const { hits, parameters } = await ask(
      'wikidata',
      replies.wikidataReply,
      query('Ada Lovelace', { kind: 'people' }),
    );
    assert.equal(parameters['gsrsearch'], 'Ada Lovelace haswbstatement:P31=Q5');
    assert.deepEqual(
      hits.map(({ url, snippet }) => [url, snippet]),
      [
        [
          'https://www.wikidata.org/wiki/Q7259',
          'Ada Lovelace. English mathematician. also known as Augusta Ada King',
        ],
        ['https://www.wikidata.org/wiki/Q2', 'Ada Second'],
      ],
    );
    assert.deepEqual((await ask('wikidata', { batchcomplete: true })).hits, [], 'nothing found has no query');
    await assert.rejects(ask('wikidata', { error: { code: 'internal_api_error' } }), { code: 'bad_gateway' });
  });
});
