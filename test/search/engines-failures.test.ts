import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';

import { Fault } from '../../src/kernel/faults.ts';
import { openSource } from '../../src/features/search/define-source.ts';
import { searchEngines } from '../../src/features/search/engines/index.ts';
import { upstreamSecret, type UpstreamReply } from '../support/upstream.ts';
import { openCalls, query } from '../support/upstream-search.ts';
import { engineClock, engineKey, startEngineBench } from '../support/upstream-search-bench.ts';

const bench = await startEngineBench({ after });
const everyType = [
  'searxng',
  'brave',
  'tavily',
  'exa',
  'serper',
  'openalex',
  'arxiv',
  'crossref',
  'sec',
  'orcid',
  'wikidata',
] as const;

suite('every engine', () => {
  for (const type of everyType) {
    test(`${type}: what fails is a Fault that tells nothing of the server`, async (t) => {
      const open = (timeoutMs: number) =>
        openSource(
          searchEngines,
          { type, url: bench.upstream.url, key: engineKey },
          { calls: openCalls(t, { timeoutMs }), clock: engineClock },
        );
      const [quick, patient] = [open(400), open(60_000)];
      const cases: readonly (readonly [UpstreamReply, string])[] = [
        [
          { json: { error: upstreamSecret }, status: 429, headers: { 'retry-after': '30' } },
          'service_unavailable',
        ],
        [{ json: { error: upstreamSecret }, status: 503 }, 'service_unavailable'],
        [{ json: { error: upstreamSecret }, status: 500 }, 'bad_gateway'],
        [{ json: { error: upstreamSecret }, status: 401 }, 'bad_gateway'],
        [{ text: '', status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'bad_gateway'],
        [{ json: [upstreamSecret] }, 'bad_gateway'],
        [{ fault: 'html' }, 'bad_gateway'],
        [{ fault: 'truncated' }, 'bad_gateway'],
        [{ fault: 'cut' }, 'bad_gateway'],
        [{ fault: 'hang' }, 'gateway_timeout'],
        [{ fault: 'drip' }, 'gateway_timeout'],
        [{ fault: 'reset' }, 'service_unavailable'],
        [{ fault: 'flood' }, 'bad_gateway'],
      ];
      for (const [reply, code] of cases) {
        bench.answer(() => reply);
        const engine = code === 'gateway_timeout' ? quick : patient;
        const error: unknown = await engine.search(query('kea'), AbortSignal.timeout(60_000), '').then(
          () => null,
          (thrown: unknown) => thrown,
        );
        const label = `${type} ${JSON.stringify(reply)}`;
        assert.ok(error instanceof Fault, `${label}: ${String(error)}`);
        assert.equal(error.code, code, label);
        assert.doesNotMatch(error.message, new RegExp(`${upstreamSecret}|${type}|127\\.0\\.0\\.1`, 'i'));
        if (code === 'service_unavailable' && 'status' in reply && reply.status === 429)
          assert.equal(error.retryAfterMs, 30_000);
      }
    });

    test(`${type}: an abort rejects with its reason and closes the connection`, async (t) => {
      const gone = Promise.withResolvers<void>();
      const leaving = new AbortController();
      const reason = new Error('left');
      bench.answer((request) => {
        request.gone.addEventListener('abort', () => gone.resolve());
        leaving.abort(reason);
        return { fault: 'hang' };
      });
      const engine = openSource(
        searchEngines,
        { type, url: bench.upstream.url, key: engineKey },
        {
          calls: openCalls(t),
          clock: engineClock,
        },
      );
      await assert.rejects(engine.search(query('kea'), leaving.signal, ''), reason);
      await gone.promise;
    });
  }
});
