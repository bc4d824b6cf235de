import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import type { SourceEntry } from '../../src/features/search/define-source.ts';
import { financeSources } from '../../src/features/search/finance/index.ts';
import { openFinance } from '../../src/features/search/open-finance.ts';
import { createManualClock } from '../support/clock.ts';
import {
  startUpstream,
  upstreamSecret,
  type UpstreamReply,
  type UpstreamRequest,
} from '../support/upstream.ts';
import { openCalls } from '../support/upstream-search.ts';
import { hangMs } from '../support/until.ts';
import {
  edgarCompany,
  edgarFacts,
  edgarTickers,
  twelveDataQuote,
} from '../support/upstream-search-figures.ts';

const key = 'quotes-key-0123456789';
const clock = createManualClock(Date.UTC(2026, 10, 20));
const wire: { answer: ((request: UpstreamRequest) => UpstreamReply | null) | null } = { answer: null };

const upstream = await startUpstream({ after }, (request) => {
  const told = wire.answer?.(request) ?? null;
  if (told !== null) return told;
  const { pathname, searchParams } = new URL(request.path, 'http://x');
  switch (pathname) {
    case '/files/company_tickers.json':
      return { json: edgarTickers };
    case '/submissions/CIK0000320193.json':
      return { json: edgarCompany };
    case '/api/xbrl/companyfacts/CIK0000320193.json':
      return { json: edgarFacts };
    case '/quote':
      return searchParams.get('symbol') === 'AAPL'
        ? { json: twelveDataQuote }
        : { json: { code: 404, message: upstreamSecret, status: 'error' } };
    default:
      return { json: { message: upstreamSecret }, status: 404 };
  }
});
const edgar: SourceEntry = { type: 'edgar', url: upstream.url };
const twelveData: SourceEntry = { type: 'twelvedata', url: upstream.url, key };
const signal = () => AbortSignal.timeout(hangMs);

function open(choices: readonly SourceEntry[], timeoutMs = hangMs) {
  const finance = openFinance(
    financeSources,
    choices,
    { calls: openCalls({ after }, { timeoutMs }), clock },
    () => {},
  );
  assert.ok(finance !== null);
  after(() => finance.close());
  return finance;
}

test('nothing configured is no source; categories are those of what is configured', () => {
  assert.equal(
    openFinance(financeSources, [], { calls: openCalls({ after }), clock }, () => {}),
    null,
  );
  assert.deepEqual(open([twelveData]).categories, ['quote']);
  assert.deepEqual(open([twelveData, edgar]).categories, ['profile', 'quote', 'financials']);
});

test('a profile says who a company is and what it filed', async () => {
  const {
    answers: [profile],
  } = await open([edgar]).find(['profile'], ['aapl'], signal());
  assert.deepEqual([profile?.category, profile?.tickers], ['profile', ['AAPL']]);
  for (const line of [
    'Name: Apple Inc.',
    'Industry: Electronic Computers',
    'Exchanges: Nasdaq',
    'Fiscal year ends: 09-26',
    '- 10-K, filed 2024-11-01',
  ])
    assert.ok(profile?.content.includes(line), `${line} in ${profile?.content}`);
  assert.deepEqual(profile?.sources, [
    'https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0000320193',
  ]);
});

test('financials are those of whole years, under the name that is still in use, with unit and day', async () => {
  const {
    answers: [figures],
  } = await open([edgar]).find(['financials'], ['AAPL'], signal());
  assert.match(
    figures?.content ?? '',
    /^Revenue, USD: 391\.04 billion \(2024-09-28\), 383\.29 billion \(2023-09-30\)$/m,
  );
  assert.match(figures?.content ?? '', /^Diluted earnings per share, USD a share: 6\.08 \(2024-09-28\)$/m);
  assert.doesNotMatch(figures?.content ?? '', /94\.93|229\.23/);
  assert.deepEqual(figures?.sources, ['https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/']);
});

test('a quote has its day and its currency', async () => {
  const {
    answers: [quote],
  } = await open([twelveData]).find(['quote'], ['AAPL'], signal());
  assert.match(quote?.content ?? '', /^Price on 2024-11-01: 222\.91 USD$/m);
  assert.match(quote?.content ?? '', /^Change: -1\.32796 %$/m);
  assert.match(quote?.content ?? '', /^52 weeks: 164\.08 USD to 237\.49 USD$/m);
  assert.equal(upstream.requests.at(-1)?.headers['authorization'], `apikey ${key}`);
});

test('one answer per category and ticker that is known; unknown and impossible tickers are none', async () => {
  const finance = open([edgar, twelveData]);
  const { answers: found, failed } = await finance.find(
    ['profile', 'quote'],
    ['AAPL', 'ZZZZ', 'BRK.B', '../../etc', ''],
    signal(),
  );
  assert.deepEqual(
    found.map(({ category, tickers }) => `${category} ${tickers.join()}`),
    ['profile AAPL', 'quote AAPL'],
  );
  assert.deepEqual(failed, []);
  assert.ok(
    upstream.requests.some(({ path }) => path === '/submissions/CIK0001067983.json'),
    'BRK.B is BRK-B there',
  );
});

test('the list of tickers is asked for once a day', async () => {
  const finance = open([edgar]);
  const asked = () => upstream.requests.filter(({ path }) => path === '/files/company_tickers.json').length;
  const before = asked();
  await finance.find(['profile'], ['AAPL'], signal());
  await finance.find(['profile'], ['AAPL'], signal());
  assert.equal(asked(), before + 1);
  clock.advance(86_400_001);
  await finance.find(['profile'], ['AAPL'], signal());
  assert.equal(asked(), before + 2);
});

test('a source that fails costs its own answers, is named, and is heard of', async (t) => {
  t.after(() => {
    wire.answer = null;
    return Promise.resolve();
  });
  const heard: string[] = [];
  const choices = [edgar, twelveData];
  const parts = { calls: openCalls({ after }, { timeoutMs: hangMs }), clock };
  const finance = openFinance(financeSources, choices, parts, (what) => void heard.push(what));
  wire.answer = ({ path }) => (path.startsWith('/quote') ? { fault: 'html' } : null);
  const { answers, failed } = (await finance?.find(['profile', 'quote'], ['AAPL'], signal())) ?? {};
  assert.deepEqual(
    answers?.map(({ category }) => category),
    ['profile'],
  );
  assert.deepEqual(failed, [{ ticker: 'AAPL', category: 'quote' }]);
  assert.deepEqual(heard, ['source of figures']);
});

test('a source that is away rests: few calls still try it, the others are refused at once, until it answers', async (t) => {
  t.after(() => {
    wire.answer = null;
    return Promise.resolve();
  });
  wire.answer = ({ path }) => (path.startsWith('/quote') ? { json: {}, status: 503 } : null);
  const finance = open([twelveData]);
  const batch = 12;
  const ask = async () => {
    const before = upstream.requests.length;
    const asked = Array.from({ length: batch }, () => finance.find(['quote'], ['AAPL'], signal()));
    const ends = await Promise.allSettled(asked);
    return { ends, requests: upstream.requests.length - before };
  };
  let last = await ask();
  // Its probe ends when it ends; each trial is repeated once.
  for (let times = 0; last.requests >= batch && times < 20; times++) last = await ask();
  assert.ok(last.requests < batch, `${last.requests} requests for ${batch} calls`);
  assert.ok(last.ends.every(({ status }) => status === 'rejected'));
  wire.answer = null;
  await finance.find(['quote'], ['AAPL'], signal());
  const { ends } = await ask();
  assert.ok(ends.every(({ status }) => status === 'fulfilled'));
});

test('when no source could be asked the fault says so, and nothing of the source', async (t) => {
  t.after(() => {
    wire.answer = null;
    return Promise.resolve();
  });
  for (const [reply, code] of [
    [{ json: { m: upstreamSecret }, status: 503 }, 'service_unavailable'],
    [{ fault: 'hang' }, 'gateway_timeout'],
    [{ fault: 'html' }, 'bad_gateway'],
    [{ json: [] }, 'bad_gateway'],
  ] as const) {
    wire.answer = () => reply;
    const finance = open([edgar, twelveData], code === 'gateway_timeout' ? 500 : hangMs);
    await assert.rejects(finance.find(['profile', 'quote'], ['AAPL'], signal()), { code });
  }
  wire.answer = () => ({ json: { code: 429, message: upstreamSecret, status: 'error' } });
  await assert.rejects(open([twelveData]).find(['quote'], ['AAPL'], signal()), {
    code: 'service_unavailable',
    retryAfterMs: 60_000,
  });
});

test('the facts of a company are read in a thread, and what is none is refused from there', async (t) => {
  t.after(() => {
    wire.answer = null;
    return Promise.resolve();
  });
  const finance = open([edgar]);
  const started = new Promise<{ readonly threadName: string }>((resolve) => {
    process.once('worker', resolve);
  });
  const { answers } = await finance.find(['financials'], ['AAPL'], signal(), 'acme');
  assert.equal((await started).threadName, 'facts');
  assert.match(answers[0]?.content ?? '', /^Apple Inc\., figures of annual reports/);
  for (const reply of [{ json: [] }, { fault: 'html' }, { json: { facts: 1 } }] as const) {
    wire.answer = ({ path }) => (path.includes('companyfacts') ? reply : null);
    const asked = finance.find(['financials'], ['AAPL'], signal(), 'acme');
    if ('json' in reply && !Array.isArray(reply.json)) assert.deepEqual((await asked).answers, []);
    else await assert.rejects(asked, { code: 'bad_gateway' });
  }
  wire.answer = null;
  const again = await finance.find(['financials'], ['AAPL'], signal(), 'other');
  assert.equal(again.answers.length, 1, 'the thread lives on');
});
