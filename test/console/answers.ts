import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import { text } from '../support/models.ts';
import type { Answer } from '../support/providers.ts';
import type { TestScope } from '../support/server.ts';
import { startUpstream } from '../support/upstream.ts';

/** What a model may write to make a page run something, or ask somebody for something. */
export const hostileText = [
  '# Loud',
  '',
  'Begin <img src=x onerror="alert(1)"> <script>alert(2)</script> <b onclick="alert(3)">bold</b> end [1].',
  '',
  '[click](javascript:alert(4)) ![pixel](https://tracker.invalid/p.png) [out](https://ok.invalid/) **strong**',
  '',
  '```js',
  'alert([1])',
  '```',
].join('\n');

/** A web engine; where the query has the word hostile, its hits try what `hostileText` does. */
export async function startHostileEngine(t: TestScope): Promise<string> {
  const { url } = await startUpstream(t, ({ path, text: body }) => {
    const isMeant = `${path}${body}`.includes('hostile');
    const results = [
      {
        url: 'https://pages.invalid/one',
        title: 'Title &lt;img src=x onerror=alert(5)&gt; <script>alert(6)</script>',
        content: 'Snippet hostile &lt;script&gt;alert(7)&lt;/script&gt; [x](javascript:alert(8))',
        publishedDate: null,
      },
      { url: 'javascript:alert(9)', title: 'No address of the web', content: 'hostile', publishedDate: null },
    ];
    return { json: { query: '', results: isMeant ? results : [] } };
  });
  return url;
}

/** Nothing that somebody else wrote has become part of the page. */
export async function assertHarmless(page: Page, requests: readonly Request[]): Promise<void> {
  const main = page.getByRole('main');
  assert.equal(await main.locator('img, script, iframe, object, [onerror], [onclick]').count(), 0);
  const addresses = await main
    .locator('a[href]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  for (const address of addresses) assert.match(address ?? '', /^(https?:\/\/|\/|#)/);
  const origin = new URL(page.url()).origin;
  const elsewhere = requests.map((request) => request.url()).filter((url) => !/^(blob|data):/.test(url));
  assert.deepEqual([...new Set(elsewhere.map((url) => new URL(url).origin))], [origin]);
}

/** Writes a word at a time, and goes on until it is stopped. */
export const endless: Answer = async function* tells(_request, signal) {
  for (let n = 1; !signal.aborted; n++) {
    yield [text(`word ${n} `)];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  signal.throwIfAborted();
};
