import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { createEngineCalls } from '../src/features/search/engine-calls.ts';
import { toFinancials } from '../src/features/search/finance/edgar/response.ts';
import { financeSources } from '../src/features/search/finance/index.ts';
import { openFinance } from '../src/features/search/open-finance.ts';
import { systemClock } from '../src/kernel/kit/clock.ts';
import { openOutbound } from '../src/kernel/kit/outbound.ts';
import { watchLoop } from './support/loop-watch.ts';
import { printTable, type Row } from './support/table.ts';

const megabytes = 10;
const rounds = 10;
const cik = '0000320193';
const { signal } = new AbortController();

/** Serves the list of tickers and facts of some megabytes, from a thread of its own. */
const server = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
const entry = (n) => ({ start: '20' + (10 + n % 15) + '-01-01', end: '20' + (10 + n % 15) + '-12-31', val: n * 1e6, accn: '0000320193-24-000123', fy: 2024, fp: 'FY', form: '10-K', filed: '2024-11-01', frame: 'CY' + n });
const names = ['NetIncomeLoss', 'Assets', 'GrossProfit'];
const facts = { entityName: 'Large', facts: { 'us-gaap': {} } };
for (let size = 0, n = 0; size < ${megabytes * 1e6}; n++) {
  const units = { USD: Array.from({ length: 100 }, (_, at) => entry(at)) };
  facts.facts['us-gaap'][names[n] ?? 'Concept' + n] = { label: 'Concept', description: 'd'.repeat(200), units };
  size += JSON.stringify(units).length + 250;
}
const body = Buffer.from(JSON.stringify(facts));
const tickers = JSON.stringify({ 0: { cik_str: 320193, ticker: 'AAPL', title: 'Apple' } });
createServer((request, response) => response.end(request.url.includes('tickers') ? tickers : body))
  .listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

/** For how long the serving thread stops while the facts of a large company are read. `npm run bench facts`. */
export async function run(): Promise<void> {
  const upstream = new Worker(server, { eval: true });
  const [port] = (await once(upstream, 'message')) as [number];
  const url = `http://127.0.0.1:${port}`;
  const outbound = openOutbound({ responseBytesMax: 33_554_432, connectionsMax: 4 });
  const calls = createEngineCalls({
    outbound,
    clock: systemClock,
    random: Math.random,
    timeoutMs: 60_000,
    userAgent: 'bench',
  });
  const finance = openFinance(
    financeSources,
    [{ type: 'edgar', url }],
    { calls, clock: systemClock },
    () => {},
  );
  const here = () =>
    calls.json(
      { url: `${url}/api/xbrl/companyfacts/CIK${cik}.json` },
      (body) => toFinancials(body, cik),
      signal,
    );
  const there = () => finance?.find(['financials'], ['AAPL'], signal);
  const rows: Row[] = [];
  for (const [name, ask] of [
    ['nothing', () => pause(200)],
    ['in the serving thread', here],
    ['in a thread', there],
  ] as const) {
    await ask();
    const watch = watchLoop();
    const startedAt = performance.now();
    for (let round = 0; round < rounds; round++) await ask();
    const eachMs = (performance.now() - startedAt) / rounds;
    const { maxMs, ownMaxMs } = watch.close();
    rows.push([name, eachMs, maxMs, ownMaxMs]);
  }
  await finance?.close();
  await outbound.close();
  await upstream.terminate();
  const load = loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
  printTable(
    `${process.version}, ${cpus().length} cores, load ${load}: facts of ${megabytes} MB`,
    ['', 'ms each', 'longest stop ms', 'by itself ms'],
    rows,
  );
}
