import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core';
import { closeAtEnd } from '../support/process-end.ts';
import {
  rootKey,
  startServer,
  type TestScope,
  type TestServer,
  type TestServerOptions,
  untilDocs,
} from '../support/server.ts';

/** Screenshots lie here where they are asked for; git does not see them. Each costs a page laid out and painted anew. */
const takesScreenshots = process.env['NESTOR_TEST_SCREENSHOTS'] === '1';
const artifacts = fileURLToPath(new URL('../../artifacts/console/', import.meta.url));

// The first is the one without windows, which takes a tenth to a fifth less CPU time for the same pages (measured).
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** The browser of this machine; null when there is none. NESTOR_TEST_CHROMIUM names another. */
export function findChromium(): string | null {
  const named = process.env['NESTOR_TEST_CHROMIUM'];
  if (named !== undefined) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

const executablePath = findChromium();

/** Why tests with a browser cannot run here; false when they can. Where everything has to run, nothing is skipped. */
export const skipBrowser: string | false =
  executablePath === null && process.env['NESTOR_TEST_ALL'] === undefined ? 'needs Chromium' : false;

export type Width = 1440 | 900 | 390;
export type Scheme = 'light' | 'dark';

export interface OpenOptions {
  readonly width?: Width;
  readonly scheme?: Scheme;
  /** Below /console: `/decide`. */
  readonly path?: string;
  /** Signs in with these instead of the root key; null has a window of its own and stays at the sign-in page. */
  readonly keys?: { readonly key: string; readonly adminKey?: string } | null;
}

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Everything that the page asked for. */
  readonly requests: readonly Request[];
  /** Errors on the console, uncaught ones, dialogs, refusals of the policy. A good page leaves it empty. */
  readonly problems: readonly string[];
  /** Writes `artifacts/console/NAME-WIDTH-SCHEME.png` with NESTOR_TEST_SCREENSHOTS=1. */
  readonly screenshot: (name: string) => Promise<void>;
}

export interface Console {
  readonly server: TestServer;
  readonly browser: Browser;
  /** A page of its own with a session of its own, as a new tab has; closed when the file's tests end. */
  open(options?: OpenOptions): Promise<OpenedPage>;
}

/** A server and a browser for the tests of one file: `startConsole({ after })`. */
export async function startConsole(t: TestScope, options: TestServerOptions = {}): Promise<Console> {
  // Answers and searches cite the documentation.
  const { withDocs = true } = options;
  const server = await startServer(t, { ...options, withDocs });
  if (withDocs) await untilDocs(server);
  const browser = await shareBrowser(t);
  // One window with a tab for each page: a window of its own for each takes twice the CPU time (measured).
  const context = await openWindow(t, browser);
  return {
    server,
    browser,
    // Tabs of a window share who is signed in.
    open: async (given = {}) =>
      openPage(given.keys === null ? await openWindow(t, browser) : context, server, given),
  };
}

async function openWindow(t: TestScope, browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ acceptDownloads: true, reducedMotion: 'reduce' });
  t.after(() => context.close());
  context.setDefaultTimeout(60_000);
  return context;
}

let shared: { readonly browser: Promise<Browser>; users: number } | null = null;

/** One for all files of a process: its start costs a second of CPU. Alone, a file closes it with the last of its servers. */
function shareBrowser(t: TestScope): Promise<Browser> {
  const isFirst = shared === null;
  const own = (shared ??= { browser: launchBrowser(), users: 0 });
  if (isFirst && closeAtEnd(async () => (await own.browser).close())) own.users++;
  own.users++;
  t.after(async () => {
    if (--own.users > 0) return;
    if (shared === own) shared = null;
    await (await own.browser).close();
  });
  return own.browser;
}

/**
 * Off: what Playwright has off, because the last one of these switches replaces the others, and behind it the popups of
 * the address bar, pages of the browser's own that each window loads. Of a window's 0.8 s of CPU they take 0.6 (measured).
 */
const featuresOff = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

/** The browser of this machine. Whoever launches it closes it. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    // Nobody is root in a container's sandbox; the pages are ours.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      `--disable-features=${featuresOff.join(',')}`,
    ],
    // It ends with the pipe to this process, which keeps no listeners of a file.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });

async function openPage(
  context: BrowserContext,
  server: TestServer,
  given: OpenOptions,
): Promise<OpenedPage> {
  const { width = 1440, scheme = 'light', path = '/decide', keys = { key: rootKey } } = given;
  const page = await context.newPage();
  await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
  await page.emulateMedia({ colorScheme: scheme });
  const requests: Request[] = [];
  const problems: string[] = [];
  page.on('request', (request) => void requests.push(request));
  page.on('console', (message) => {
    // A status of 400 and more is an answer that tests ask for, and the browser writes a line for each.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => void problems.push(`uncaught: ${error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  if (keys !== null) await keepKeys(page, keys);
  await page.goto(`${server.url}/console${path}`);
  if (keys !== null) await page.getByRole('button', { name: 'Sign out' }).waitFor();
  const screenshot = async (name: string) => {
    if (!takesScreenshots) return;
    await mkdir(artifacts, { recursive: true });
    await page.screenshot({ path: join(artifacts, `${name}-${width}-${scheme}.png`), fullPage: true });
  };
  return { page, context, requests, problems, screenshot };
}

/** As a tab has them that was reloaded, so that each may have its own; `shell.test.ts` signs in by hand. */
async function keepKeys(
  page: Page,
  { key, adminKey = null }: { key: string; adminKey?: string | null },
): Promise<void> {
  await page.addInitScript(
    ([name, keys]) => {
      // Once: who signs out stays signed out.
      if (window.name === name) return;
      window.name = name;
      sessionStorage.setItem('nestor.keys', keys);
    },
    ['signed in', JSON.stringify({ key, adminKey })] as const,
  );
}

/** Without the white space that the browser would read each time. It is put into a page once, and stays until the next one. */
const axeSource = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** No violation of WCAG 2.2 AA, whatever axe calls its impact, and none of good practice that it calls serious or critical. */
export async function assertAccessible(page: Page): Promise<void> {
  await untilColoursAreThere(page);
  const isThere = await page.evaluate(() => 'axe' in window);
  const { violations } = await new AxeBuilder({ page, axeSource: isThere ? ';' : axeSource })
    // All that passes would be told as well, element by element.
    .options({ resultTypes: ['violations'] })
    // What it finds in frames would be put together in another page, and no page of ours has frames.
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  const wrong = violations.filter(
    ({ impact, tags }) => !tags.includes('best-practice') || impact === 'serious' || impact === 'critical',
  );
  const told = wrong.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
  assert.deepEqual(told, []);
}

/** What axe finds by the colours of a page. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** What the browser has of axe after `assertAccessible`. */
interface Axe {
  run(options: { readonly runOnly: readonly string[] }): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  }>;
}

/**
 * The same page in the colours of the other scheme, after `assertAccessible`: without being loaded again and without the
 * rules that no colour changes, which takes a fifth of the CPU time.
 */
export async function assertContrastIn(page: Page, scheme: Scheme, own: Scheme): Promise<void> {
  await showColours(page, scheme);
  const wrong = await page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { readonly axe: Axe };
    const { violations } = await axe.run({ runOnly });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
    );
  }, colourRules);
  assert.deepEqual(wrong, [], scheme);
  await showColours(page, own);
}

async function showColours(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
  await untilColoursAreThere(page);
}

/**
 * Colours pass into each other: until they have, none of them is what is meant. The promise `finished` of what lies in a
 * closed `details` is never kept, because nothing of it is drawn; that it has ended is told all the same.
 */
async function untilColoursAreThere(page: Page): Promise<void> {
  // What is chosen is marked by an element that gets its place and colours in a frame after it was drawn, and passes then.
  await page.evaluate(
    () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  );
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) =>
          playState === 'finished' || !Number.isFinite(Number(effect?.getComputedTiming().endTime)),
      ),
  );
}

/** Nothing of the page lies beyond its right edge, in a wide window also when it becomes as narrow as a tablet. */
export async function assertFits(page: Page): Promise<void> {
  await assertNothingBeyond(page);
  const size = page.viewportSize();
  if (size?.width !== 1440) return;
  await page.setViewportSize({ ...size, width: 900 });
  await assertNothingBeyond(page);
  await page.setViewportSize(size);
}

async function assertNothingBeyond(page: Page): Promise<void> {
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(beyond <= 0, `the page is ${beyond} px wider than the window`);
}
