import { nullable, url } from '../../../../kernel/config/shape.ts';
import { moduleBeside } from '../../../../kernel/kit/beside.ts';
import { unusable } from '../../../../kernel/kit/call-failure.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import { JobPool } from '../../../../kernel/kit/job-pool.ts';
import { JobError } from '../../../../kernel/kit/job-thread.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { defineFinanceSource, type SourceContext } from '../../define-source.ts';
import { ResponseError } from '../../engine-exchange.ts';
import type { FinanceSource } from '../../finance.ts';
import { numberAt, textAt } from '../../hits.ts';
import { failureOf, toFault } from '../../upstream-fault.ts';
import { toUrl } from '../../wire-query.ts';
import type { FactsJob, FactsReply } from './facts-worker.ts';
import { toProfile } from './response.ts';

const filesUrl = 'https://www.sec.gov';
const dataUrl = 'https://data.sec.gov';
/** The list of tickers changes by a few a day. Unit: ms. */
const tickersMs = 86_400_000;

/** Companies that file with the SEC: who they are, and the figures of their reports. */
export const edgar = defineFinanceSource({
  type: 'edgar',
  settings: {
    description: 'Companies that file with the SEC.',
    typeDescription: 'Companies that file with the SEC: profiles and figures of their reports.',
    keys: {
      url: nullable(url('Address of a mirror.'), 'Address of a mirror; null is the public interface.'),
    },
  },
  open: openEdgar,
});

/** A mirror stands in for all of the public hosts. */
function openEdgar({
  calls,
  clock,
  url: mirror,
}: SourceContext & { readonly url: string | null }): FinanceSource {
  const workerUrl = moduleBeside('facts-worker', import.meta.url);
  const threads = new JobPool<FactsJob, FactsReply>({ ...threadOptions, workerUrl });
  let known: { readonly ciks: ReadonlyMap<string, string>; readonly endsAt: number } | null = null;

  const cikOf = async (ticker: string, signal: AbortSignal): Promise<string | null> => {
    if (known === null || clock.monotonic() >= known.endsAt) {
      const request = { url: toUrl(mirror ?? filesUrl, '/files/company_tickers.json', {}) };
      const ciks = await calls.json(request, toTickers, signal);
      known = { ciks, endsAt: clock.monotonic() + tickersMs };
    }
    // The list writes classes of shares with a hyphen: BRK-B.
    return known.ciks.get(ticker.replaceAll(/[./]/g, '-')) ?? null;
  };

  return {
    categories: ['profile', 'financials'],
    async find(category, ticker, signal, account) {
      const cik = await cikOf(ticker, signal);
      if (cik === null) return null;
      const at = (path: string) => ({ url: toUrl(mirror ?? dataUrl, path, {}) });
      try {
        const answer =
          category === 'profile'
            ? await calls.json(at(`/submissions/CIK${cik}.json`), (body) => toProfile(body, cik), signal)
            : await readFacts(
                threads,
                { bytes: await calls.bytes(at(`/api/xbrl/companyfacts/CIK${cik}.json`), signal), cik },
                { signal, account },
              );
        return answer === null ? null : { ...answer, category, tickers: [ticker] };
      } catch (error) {
        // A company may file without figures that machines read.
        if (failureOf(error)?.status === 404) return null;
        throw error;
      }
    },
    close: () => threads.close(),
  };
}

/** Facts of a hostile mirror may take all of a thread: one account never has both. */
const threadOptions = {
  name: 'facts',
  timeoutMs: 10_000,
  threads: 2,
  waitingMax: 64,
  idleMs: 60_000,
  heapMb: 512,
};

async function readFacts(
  threads: JobPool<FactsJob, FactsReply>,
  job: FactsJob & { readonly bytes: Uint8Array<ArrayBuffer> },
  { signal, account }: Caller,
): Promise<Extract<FactsReply, { kind: 'answer' }>['answer']> {
  try {
    const reply = await threads.run(job, signal, account, [job.bytes.buffer]);
    if (reply.kind === 'answer') return reply.answer;
    throw toFault(unusable(reply.reason));
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    const isFull = error.reason === 'busy' || error.reason === 'closed';
    throw toFault({
      ...unusable('the facts could not be read'),
      ...(isFull && { kind: 'unavailable' }),
      cause: error,
    });
  }
}

/** `{ "0": { "cik_str": 320193, "ticker": "AAPL", "title": "Apple Inc." } }`: CIKs of ten digits by ticker. */
function toTickers(body: Json): ReadonlyMap<string, string> {
  if (!isJsonObject(body)) throw new ResponseError('the list of tickers is no object');
  const ciks = new Map<string, string>();
  for (const entry of Object.values(body)) {
    if (!isJsonObject(entry)) continue;
    const [ticker, cik] = [textAt(entry, 'ticker'), numberAt(entry, 'cik_str')];
    if (ticker !== null && cik !== null && !ciks.has(ticker)) ciks.set(ticker, String(cik).padStart(10, '0'));
  }
  if (ciks.size === 0) throw new ResponseError('the list of tickers is empty');
  return ciks;
}
