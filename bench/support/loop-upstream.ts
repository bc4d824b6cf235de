import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model that writes much or asks for the figures of a company, and the service that has 10 MB of them. */
export async function startLoopUpstream(): Promise<{ readonly url: string; close(): void }> {
  const facts = JSON.stringify(companyFacts());
  const tickers = JSON.stringify({ 0: { cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' } });
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const json = { 'content-type': 'application/json' };
    if (path === '/files/company_tickers.json') response.writeHead(200, json).end(tickers);
    else if (path.startsWith('/api/xbrl/')) response.writeHead(200, json).end(facts);
    else if (request.method === 'GET')
      response.writeHead(200, json).end('{"object":"list","data":[{"id":"talker"}]}');
    else {
      let asked = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (asked += chunk));
      request.on('end', () => {
        const calls = asked.includes('finance_search') && !asked.includes('"role":"tool"');
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(answer(calls, asked.includes('a long answer')));
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(calls: boolean, isLong: boolean): string {
  const args = JSON.stringify({ tickers: ['AAPL'], categories: ['financials'] });
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'finance_search', arguments: args },
  };
  const delta = calls ? { tool_calls: [call] } : { content: 'Done. ' };
  const chunk = (inner: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'talker', choices: [{ index: 0, delta: inner, finish_reason: finish }] })}\n\n`;
  const text = chunk(delta, null).repeat(isLong ? 600_000 : 1);
  return `${text}${chunk({}, calls ? 'tool_calls' : 'stop')}data: [DONE]\n\n`;
}

/** As large as the largest companies have them, with the names that are read among many others. */
function companyFacts(): object {
  const figure = (at: number) => ({
    start: '2022-09-25',
    end: '2023-09-30',
    val: 383_285_000_000 + at,
    accn: '0000320193-24-000123',
    fy: 2024,
    fp: 'FY',
    form: '10-K',
    filed: '2024-11-01',
    frame: `CY${at}`,
  });
  const names = ['NetIncomeLoss', ...Array.from({ length: 500 }, (_, at) => `Concept${at}`)];
  const concepts = names.map((name) => [
    name,
    {
      label: name,
      description: 'A figure.',
      units: { USD: Array.from({ length: 120 }, (_, at) => figure(at)) },
    },
  ]);
  return {
    cik: 320193,
    entityName: 'Apple Inc.',
    facts: { 'us-gaap': Object.fromEntries(concepts) as object },
  };
}
