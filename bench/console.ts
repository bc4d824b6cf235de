/**
 * How soon the console can be used, in a browser that has never seen it: what travels, when something is painted, and
 * when a button can be pressed. Once as this machine is and once with its CPU slowed down four times, as a phone is.
 */
import { chromium, type Browser } from 'playwright-core';
import { findChromium } from '../test/console/support.ts';
import { rootKey, startServer } from '../test/support/server.ts';
import { printTable } from './support/table.ts';

const rounds = 10;

interface Load {
  readonly bytes: number;
  readonly paintMs: number;
  readonly usableMs: number;
}

export async function run(): Promise<void> {
  const scope = new AsyncDisposableStack();
  const t = {
    after: (close: () => Promise<void>) => {
      scope.defer(close);
    },
  };
  const { url } = await startServer(t);
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('needs Chromium; NESTOR_TEST_CHROMIUM names one');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  scope.defer(() => browser.close());
  const rows: string[][] = [];
  for (const slowedBy of [1, 4]) {
    const loads: Load[] = [];
    for (let round = 0; round < rounds; round++) loads.push(await load(browser, url, slowedBy));
    const median = (of: (load: Load) => number) => loads.map(of).toSorted((a, b) => a - b)[rounds / 2] ?? 0;
    rows.push([
      `CPU slowed down ${slowedBy}x`,
      `${(median(({ bytes }) => bytes) / 1_000).toFixed(0)} KB`,
      `${median(({ paintMs }) => paintMs).toFixed(0)} ms`,
      `${median(({ usableMs }) => usableMs).toFixed(0)} ms`,
    ]);
  }
  printTable(
    `First page, ${rounds} loads without a cache: medians`,
    ['', 'travels', 'painted', 'usable'],
    rows,
  );
  await scope.disposeAsync();
}

async function load(browser: Browser, url: string, slowedBy: number): Promise<Load> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript((key) => {
    sessionStorage.setItem('nestor.keys', JSON.stringify({ key, adminKey: null }));
    // Noted by the page itself: what drives the browser looks only now and then.
    new MutationObserver((_changes, observer) => {
      if (document.querySelector('h1') === null) return;
      observer.disconnect();
      performance.mark('usable');
    }).observe(document, { childList: true, subtree: true });
  }, rootKey);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowedBy });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  await page.goto(`${url}/console/decide`, { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const usableMs = await page.evaluate(
    () => performance.getEntriesByName('usable')[0]?.startTime ?? Number.NaN,
  );
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  await context.close();
  return { bytes, paintMs, usableMs };
}
