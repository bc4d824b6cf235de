import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { suite, test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { openGuardedClient, type GuardedClientOptions } from '../../src/kernel/kit/guarded-client.ts';
import { startSite } from '../support/site.ts';
import { hangMs } from '../support/until.ts';

function open(t: TestContext, options: Partial<GuardedClientOptions> = {}) {
  const client = openGuardedClient({ allowHosts: [], userAgent: 'Nestor', ...options });
  t.after(() => client.close());
  const signal = AbortSignal.timeout(hangMs);
  return (url: string, asked: Partial<Parameters<typeof client.fetch>[1]> = {}) =>
    client.fetch(url, { signal, ...asked });
}

suite('what an address sends', () => {
  const packers = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync };

  test('every encoding that was offered is decoded, and charset and type are told', async (t) => {
    const text = 'Ein Satz mit Umlauten: äöü. '.repeat(5_000);
    const site = await startSite(t, {});
    const all = { ...packers, 'x-gzip': gzipSync, bare: deflateRawSync };
    for (const [name, pack] of Object.entries(all)) {
      const encoding = name === 'bare' ? 'deflate' : name;
      site.set(`/${name}`, {
        body: pack(text),
        type: 'Text/HTML; Charset="UTF-8"',
        headers: { 'content-encoding': encoding },
      });
    }
    const fetch = open(t, { allowHosts: [site.host] });
    for (const name of Object.keys(all)) {
      const outcome = await fetch(`${site.url}/${name}`);
      assert.ok(outcome.ok, name);
      assert.equal(Buffer.from(outcome.bytes).toString(), text);
      assert.deepEqual([outcome.contentType, outcome.charset], ['text/html', 'utf-8']);
    }
  });

  test('a bomb in any encoding ends in an error', async (t) => {
    const zeros = Buffer.alloc(60_000_000);
    const site = await startSite(t, {});
    for (const [name, pack] of Object.entries(packers)) {
      site.set(`/${name}`, { body: pack(zeros), headers: { 'content-encoding': name } });
    }
    const fetch = open(t, { allowHosts: [site.host] });
    for (const name of Object.keys(packers)) {
      const outcome = await fetch(`${site.url}/${name}`);
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'encoding', name);
    }
  });

  test('sizes count after decompression', async (t) => {
    const noise = Buffer.from(
      Array.from({ length: 30_000 }, (_, index) => `${(index * 7_919) % 10_007} `).join(''),
    );
    const site = await startSite(t, {
      '/': { body: gzipSync(noise), headers: { 'content-encoding': 'gzip' } },
    });
    const fetch = open(t, { allowHosts: [site.host] });
    const fits = await fetch(`${site.url}/`, { bytesMax: noise.length });
    assert.equal(fits.ok && fits.bytes.length, noise.length);
    const large = await fetch(`${site.url}/`, { bytesMax: noise.length - 1 });
    assert.equal(large.ok ? 'fetched' : large.reason, 'too_large');
  });

  test('layered, unknown and broken encodings are refused', async (t) => {
    const packed = gzipSync(gzipSync('text'));
    const encodings = { layered: 'gzip, gzip', unknown: 'compress', lying: 'br' };
    const site = await startSite(t, {});
    for (const [name, encoding] of Object.entries(encodings)) {
      site.set(`/${name}`, { body: packed, headers: { 'content-encoding': encoding } });
    }
    site.set('/noise', { body: 'no gzip at all', headers: { 'content-encoding': 'gzip' } });
    const fetch = open(t, { allowHosts: [site.host] });
    for (const name of [...Object.keys(encodings), 'noise']) {
      const outcome = await fetch(`${site.url}/${name}`);
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'encoding', name);
    }
  });

  test('a stream of a gigabyte ends at the cap, said or unsaid', async (t) => {
    let sent = 0;
    const site = await startSite(t, {
      '/said': (_request, response) => {
        response.writeHead(200, { 'content-length': '1000000000' });
        response.write('begin');
      },
      '/unsaid': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const block = Buffer.alloc(65_536, 'x');
        const pour = () => {
          while (!response.destroyed && sent < 1_000_000_000) {
            sent += block.length;
            if (!response.write(block)) return void response.once('drain', pour);
          }
        };
        pour();
      },
    });
    const fetch = open(t, { allowHosts: [site.host] });
    for (const path of ['/said', '/unsaid']) {
      const outcome = await fetch(site.url + path);
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'too_large', path);
    }
    assert.ok(sent < 100_000_000, `${sent} bytes were sent`);
  });

  test('a page that drips, hangs or redirects slowly ends at the deadline', async (t) => {
    const drip = (response: {
      write(text: string): boolean;
      on(event: 'close', close: () => void): unknown;
    }) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const site = await startSite(t, {
      '/drip': (_request, response) => {
        response.writeHead(200);
        drip(response);
      },
      '/head': (request) => {
        request.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        drip(request.socket);
      },
      '/hang': () => {},
      '/loop': (_request, response) => {
        setTimeout(() => response.writeHead(302, { location: '/loop' }).end(), 150);
      },
    });
    const fetch = open(t, { allowHosts: [site.host] });
    for (const path of ['/drip', '/head', '/hang', '/loop']) {
      const outcome = await fetch(site.url + path, { timeoutMs: 400 });
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'timeout', path);
    }
  });

  test('heads that are too large, no HTTP and broken bodies are told as such', async (t) => {
    const site = await startSite(t, {
      '/head': { body: 'x', headers: { 'x-large': 'y'.repeat(60_000) } },
      '/noise': (request) => void request.socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
      '/reset': (request) => void request.socket.resetAndDestroy(),
      '/cut': (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half');
        setTimeout(() => request.socket.destroy(), 20);
      },
    });
    const fetch = open(t, { allowHosts: [site.host] });
    for (const path of ['/head', '/noise', '/reset', '/cut']) {
      const outcome = await fetch(site.url + path);
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'protocol', path);
      assert.doesNotMatch(JSON.stringify(outcome), /SSH|127\.0/);
    }
  });

  test('a status other than 2xx is an outcome with its wait, and its body is not read', async (t) => {
    const site = await startSite(t, {
      '/busy': { status: 429, body: 'secret words', headers: { 'retry-after': '7', 'set-cookie': 'a=b' } },
      '/same': { status: 304, body: '' },
    });
    const fetch = open(t, { allowHosts: [site.host] });
    const busy = await fetch(`${site.url}/busy`);
    assert.deepEqual(busy.ok ? null : [busy.reason, busy.status, busy.headers['retry-after']], [
      'status',
      429,
      '7',
    ]);
    assert.doesNotMatch(JSON.stringify(busy), /secret|set-cookie/);
    const same = await fetch(`${site.url}/same`, { validators: { etag: '"1"', lastModified: 'x' } });
    assert.equal(same.ok ? null : same.status, 304);
    assert.equal(site.requests[1]?.headers['if-modified-since'], 'x');
  });

  test('a type that was not asked for is refused before its body', async (t) => {
    const site = await startSite(t, {
      '/film': { body: 'x', type: 'video/mp4' },
      '/image': { body: 'x', type: 'image/png' },
      '/bytes': { body: 'x', type: 'application/octet-stream' },
    });
    const fetch = open(t, { allowHosts: [site.host] });
    const accept = ['image/*', 'text/html'];
    const outcomes = await Promise.all(
      ['/film', '/image', '/bytes'].map((path) => fetch(site.url + path, { accept })),
    );
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.reason)),
      ['type', 'ok', 'ok'],
    );
    assert.equal(site.requests[0]?.headers.accept, 'image/*, text/html');
  });

  test('fetches have a number at which the next is told to come later', async (t) => {
    const site = await startSite(t, { '/': () => {} });
    const fetch = open(t, { allowHosts: [site.host] });
    const leaver = new AbortController();
    const waiting = Array.from({ length: 256 }, () => fetch(`${site.url}/`, { signal: leaver.signal }));
    const refused = await fetch(`${site.url}/`);
    assert.equal(refused.ok ? 'fetched' : refused.reason, 'busy');
    leaver.abort(new Error('gone'));
    const settled = await Promise.allSettled(waiting);
    assert.ok(settled.every(({ status }) => status === 'rejected'));
    site.set('/', 'free');
    assert.equal((await fetch(`${site.url}/`)).ok, true);
  });

  test('fetches of one account leave room for those of another', async (t) => {
    const slow = await startSite(t, { '/': () => {} });
    const site = await startSite(t, { '/': 'free' });
    const fetch = open(t, { allowHosts: [slow.host, site.host] });
    const leaver = new AbortController();
    const asked = { signal: leaver.signal, account: 'greedy' };
    const waiting = Array.from({ length: 256 }, () => fetch(`${slow.url}/`, asked));
    const refused = await fetch(`${site.url}/`, { account: 'greedy' });
    assert.equal(refused.ok ? 'fetched' : refused.reason, 'busy');
    assert.equal((await fetch(`${site.url}/`, { account: 'other' })).ok, true);
    leaver.abort(new Error('gone'));
    await Promise.allSettled(waiting);
  });

  test('the connections to one host are shared by account', async (t) => {
    const site = await startSite(t, { '/slow': () => {}, '/': 'free' });
    const fetch = open(t, { allowHosts: [site.host] });
    const leaver = new AbortController();
    const asked = { signal: leaver.signal, account: 'greedy' };
    const waiting = Array.from({ length: 20 }, () => fetch(`${site.url}/slow`, asked));
    for (let times = 0; times < 3; times++)
      assert.equal((await fetch(`${site.url}/`, { account: 'other' })).ok, true);
    assert.equal(site.requests.filter(({ path }) => path === '/slow').length, 4);
    leaver.abort(new Error('gone'));
    await Promise.allSettled(waiting);
    assert.equal((await fetch(`${site.url}/`, { account: 'greedy' })).ok, true);
  });

  test('what the fetches of one account hold leaves room for those of another', async (t) => {
    const first = Buffer.alloc(45_000_000, 'x');
    const begins = (_request: IncomingMessage, response: ServerResponse) => {
      response.setHeader('content-type', 'text/plain');
      // The rest never comes, so what came is held.
      response.write(first);
    };
    const slow = await startSite(t, { '/': begins });
    const site = await startSite(t, { '/': { body: first, type: 'text/plain' } });
    const fetch = open(t, { allowHosts: [slow.host, site.host] });
    const leaver = new AbortController();
    const asked = { signal: leaver.signal, account: 'greedy', bytesMax: 50_000_000 };
    const holding = Array.from({ length: 3 }, () => fetch(`${slow.url}/`, asked));
    // Two of them fit into half of what may be held, the third does not.
    const refused = await Promise.race(holding);
    assert.equal(refused.ok ? 'fetched' : refused.reason, 'busy');
    assert.equal((await fetch(`${site.url}/`, { account: 'other', bytesMax: 50_000_000 })).ok, true);
    leaver.abort(new Error('gone'));
    await Promise.allSettled(holding);
  });

  test('an abort rejects with its reason, before and during', async (t) => {
    const site = await startSite(t, { '/': () => {} });
    const fetch = open(t, { allowHosts: [site.host] });
    const gone = new Error('gone');
    await assert.rejects(fetch(`${site.url}/`, { signal: AbortSignal.abort(gone) }), gone);
    const leaver = new AbortController();
    setTimeout(() => leaver.abort(gone), 50);
    await assert.rejects(fetch(`${site.url}/`, { signal: leaver.signal }), gone);
  });
});
