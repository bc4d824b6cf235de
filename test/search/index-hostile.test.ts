import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { startSite } from '../support/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { counts } from './index-support.ts';
import { addPlace, refreshInProcess, type Ending } from './refresh-child.ts';

const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
const link = (path: string) => `<a href="${path}">${path}</a>`;

function outcomeOf(ending: Ending) {
  assert.ok(
    typeof ending === 'object' && 'outcome' in ending && ending.outcome !== null,
    JSON.stringify(ending),
  );
  return ending.outcome;
}

suite('sites that mean harm', () => {
  test('a page that begins with sixty empty comments is read like any other', async (t) => {
    const site = await startSite(t, { '/': `${'<!---->'.repeat(60)}${page('Front', 'a gull')}` });
    const place = { data: await temporaryFolder(t), location: `${site.url}/`, host: site.host };
    await addPlace(place, 'web');
    assert.deepEqual(counts(outcomeOf(await refreshInProcess(t, place))), { added: 1 });
  });

  test('a robots.txt of wildcards neither stops a crawl nor is taken for leave', async (t) => {
    const site = await startSite(t, { '/': page('Front', link('/a')), '/a': page('A', 'a gull') });
    const rules = (count: number) => ({
      type: 'text/plain',
      body: `User-agent: *\n${`Disallow: /${'*a'.repeat(200)}b\n`.repeat(count)}`,
    });
    site.set('/robots.txt', rules(500));
    const place = { data: await temporaryFolder(t), location: `${site.url}/`, host: site.host };
    await addPlace(place, 'web', { depth: 1 });
    assert.deepEqual(counts(outcomeOf(await refreshInProcess(t, place))), { added: 2 });
    site.set('/robots.txt', rules(501));
    const refused = outcomeOf(await refreshInProcess(t, place));
    assert.deepEqual(refused.failures, [{ url: `${site.url}/`, reason: 'too_complex' }]);
  });
});
