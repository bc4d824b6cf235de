import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { startSite, type SiteScript } from '../support/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { counts } from './index-support.ts';
import {
  addPlace,
  isDue,
  refreshInProcess,
  resume,
  rowOf,
  withAttempts,
  type Ending,
} from './refresh-child.ts';
import { refreshPlace } from './refresh-place.ts';
import { sourceId } from '../../src/features/index/source.ts';

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
    assert.deepEqual(counts(outcomeOf(await refreshPlace(place))), { added: 1 });
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
    assert.deepEqual(counts(outcomeOf(await refreshPlace(place))), { added: 2 });
    site.set('/robots.txt', rules(501));
    const refused = outcomeOf(await refreshPlace(place));
    assert.deepEqual(refused.failures, [{ url: `${site.url}/`, reason: 'too_complex' }]);
  });
});

/** After the lease of a process that was killed. Unit: ms. */
const later = 60_000;

suite('what ends the process', () => {
  test('a page at which the process ended twice sets its site aside, and by hand the rest is read', async (t) => {
    let end = () => {};
    const site = await startSite(t, {
      '/': page('Front', ['/a', '/fatal', '/z'].map(link).join(' ')),
      '/a': page('A', 'a gull'),
      '/fatal': () => end(),
      '/z': page('Z', 'a heron'),
    });
    const place = { data: await temporaryFolder(t), location: `${site.url}/`, host: site.host };
    await addPlace(place, 'web', { depth: 1 });
    const refresh = (laterMs: number) =>
      refreshInProcess(t, place, laterMs, {
        onStart: (child) => {
          end = () => child.kill('SIGKILL');
        },
      });
    assert.equal(await refresh(0), 'killed');
    // Once may be chance.
    assert.equal(await refresh(later), 'killed');
    const asked = site.requests.length;
    const third = await refreshPlace(place, later * 2);
    assert.ok(
      typeof third === 'object' && 'error' in third && /set aside/.test(third.error),
      JSON.stringify(third),
    );
    assert.equal(site.requests.length, asked);
    assert.equal((await rowOf(place)).setAside, `${site.url}/fatal`);
    // Not by itself, however often a server looks; by hand.
    assert.equal(await isDue(place), false);
    await resume(place);
    const outcome = outcomeOf(await refreshPlace(place, later * 3));
    // What was read before is not read again.
    assert.deepEqual(counts(outcome), { added: 1, failed: 1 });
    assert.deepEqual(outcome.failures, [{ url: `${site.url}/fatal`, reason: 'set_aside' }]);
    assert.equal((await rowOf(place)).setAside, null);
  });

  test('files that were read beside the one that ends the process are not taken for it', async (t) => {
    const data = await temporaryFolder(t);
    const folder = join(data, 'many');
    await mkdir(folder);
    const files = 30;
    const pathOf = (n: number) => join(folder, `f${String(n).padStart(2, '0')}.md`);
    for (let n = 0; n < files; n++)
      await writeFile(pathOf(n), `# File ${n}\n\n${'A heron flies. '.repeat(60)}`);
    const place = { data, location: folder };
    await addPlace(place, 'folder');
    // As a process leaves it that ended in its first batch, and one that ended in the third file alone.
    const id = sourceId(folder);
    const [first, second] = [0, 1].map((at) => pathToFileURL(pathOf(at)).href);
    const fatal = pathToFileURL(pathOf(2)).href;
    await withAttempts(place, async (attempts) => {
      await attempts.begin(id, [first ?? '', second ?? '', fatal]);
      await attempts.end(id, [first ?? '']);
      await attempts.begin(id, [fatal]);
    });
    const refused = await refreshPlace(place);
    assert.ok(typeof refused === 'object' && 'error' in refused, JSON.stringify(refused));
    assert.equal((await rowOf(place)).setAside, fatal);
    await resume(place);
    const outcome = outcomeOf(await refreshPlace(place));
    assert.deepEqual(counts(outcome), { added: files - 1, failed: 1 });
    assert.deepEqual(outcome.failures, [{ url: fatal, reason: 'set_aside' }]);
  });

  test('a process that is killed at another place each time is read to its end', async (t) => {
    const names = ['/a', '/b', '/c'];
    let end = () => {};
    const fatal = new Set(names);
    const served =
      (name: string): SiteScript =>
      (_, response) => {
        if (fatal.delete(name)) end();
        else response.setHeader('content-type', 'text/html').end(page(name, `a gull at ${name}`));
      };
    const site = await startSite(t, {
      '/': page('Front', names.map(link).join(' ')),
      ...Object.fromEntries(names.map((name) => [name, served(name)])),
    });
    const place = { data: await temporaryFolder(t), location: `${site.url}/`, host: site.host };
    await addPlace(place, 'web', { depth: 1 });
    const onStart = (child: ChildProcess) => {
      end = () => child.kill('SIGKILL');
    };
    for (let round = 0; round < names.length; round++)
      assert.equal(await refreshInProcess(t, place, later * round, { onStart }), 'killed');
    assert.equal(outcomeOf(await refreshPlace(place, later * names.length)).failed, 0);
  });
});
