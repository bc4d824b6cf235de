/* Answers of search services as their public documentation and their servers give them, shortened. */

export const openalexWorks = {
  meta: { count: 1, per_page: 10 },
  results: [
    {
      id: 'https://openalex.org/W2741809807',
      doi: 'https://doi.org/10.7717/peerj.4375',
      display_name: 'The state of OA: a large-scale analysis',
      publication_date: '2018-02-13',
      language: 'en',
      primary_location: {
        landing_page_url: 'https://doi.org/10.7717/peerj.4375',
        source: { display_name: 'PeerJ' },
      },
      authorships: [
        { author: { display_name: 'Heather Piwowar' } },
        { author: { display_name: 'Jason Priem' } },
      ],
      abstract_inverted_index: { Despite: [0], growing: [1], interest: [2], in: [3], Open: [4], Access: [5] },
    },
  ],
};

export const openalexAuthors = {
  meta: { count: 1 },
  results: [
    {
      id: 'https://openalex.org/A5023888391',
      orcid: 'https://orcid.org/0000-0001-6187-6610',
      display_name: 'Jason Priem',
      works_count: 53,
      cited_by_count: 3117,
      last_known_institutions: [{ display_name: 'OurResearch', country_code: 'CA' }],
      topics: [{ display_name: 'scientometrics' }],
    },
  ],
};

export const arxivReply = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query=all:electron" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=all:electron</title>
  <id>http://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">1000</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/hep-ex/0307015v1</id>
    <updated>2003-07-08T13:46:39Z</updated>
    <published>2003-07-07T13:46:39Z</published>
    <title>Multi-Electron Production at High Transverse Momenta in ep Collisions
  at HERA</title>
    <summary>  Multi-electron production is studied at high electron transverse
momentum &lt; 5 GeV.
</summary>
    <author><name>H1 Collaboration</name></author>
    <link href="http://arxiv.org/abs/hep-ex/0307015v1" rel="alternate" type="text/html"/>
  </entry>
</feed>`;

export const arxivError = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>
<entry><id>http://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title>
<summary>incorrect id format</summary></entry></feed>`;

export const crossrefReply = {
  status: 'ok',
  'message-type': 'work-list',
  message: {
    'total-results': 2,
    items: [
      {
        DOI: '10.1038/s41586-020-2012-7',
        URL: 'http://dx.doi.org/10.1038/s41586-020-2012-7',
        title: ['A pneumonia outbreak'],
        abstract: '<jats:p>Since the outbreak of severe acute respiratory syndrome.</jats:p>',
        published: { 'date-parts': [[2020, 2, 3]] },
        'container-title': ['Nature'],
        author: [{ given: 'Peng', family: 'Zhou', sequence: 'first' }],
      },
      {
        DOI: '10.1/x',
        URL: 'https://doi.org/10.1/x',
        title: ['A year only'],
        published: { 'date-parts': [[2019]] },
      },
    ],
  },
};

export const secReply = {
  took: 31,
  hits: {
    total: { value: 1, relation: 'eq' },
    hits: [
      {
        _index: 'edgar_file',
        _id: '0000320193-23-000106:aapl-20230930.htm',
        _score: 9.1,
        _source: {
          ciks: ['0000320193'],
          period_ending: '2023-09-30',
          root_forms: ['10-K'],
          file_date: '2023-11-03',
          display_names: ['Apple Inc.  (AAPL)  (CIK 0000320193)'],
          form: '10-K',
          adsh: '0000320193-23-000106',
          file_type: '10-K',
          file_description: '10-K',
        },
      },
      { _id: 'broken', _source: { ciks: [] } },
    ],
  },
};

export const orcidReply = {
  'expanded-result': [
    {
      'orcid-id': '0000-0001-6187-6610',
      'given-names': 'Jason',
      'family-names': 'Priem',
      'credit-name': null,
      'other-name': ['J. Priem'],
      email: [],
      'institution-name': ['OurResearch', 'University of North Carolina'],
    },
  ],
  'num-found': 1,
};

export const wikidataReply = {
  batchcomplete: true,
  query: {
    pages: [
      { pageid: 2, ns: 0, title: 'Q2', index: 2, entityterms: { label: ['Ada Second'] } },
      {
        pageid: 1,
        ns: 0,
        title: 'Q7259',
        index: 1,
        entityterms: {
          label: ['Ada Lovelace'],
          description: ['English mathematician'],
          alias: ['Augusta Ada King'],
        },
      },
    ],
  },
};
