import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { deflateSync } from 'node:zlib';
import { openGuardedClient } from '../../src/kernel/kit/guarded-client.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openPageReader } from '../../src/features/search/page/open-page-reader.ts';
import { PageError, type Page } from '../../src/features/search/page.ts';
import { longTest, variationsOf } from '../support/rounds.ts';
import { makeDocx, makeRawPdf } from '../support/site-files.ts';

const html = 'text/html; charset=utf-8';
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

function open(t: TestContext, timeoutMs: number) {
  const client = openGuardedClient({ allowHosts: [], userAgent: 'Nestor' });
  const reader = openPageReader({ client, clock: systemClock, timeoutMs });
  t.after(async () => {
    await reader.close();
    await client.close();
  });
  const signal = AbortSignal.timeout(300_000);
  return (bytes: string | Uint8Array, type = html): Promise<Page> =>
    reader.extract(
      typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
      type,
      'https://site.example/x',
      signal,
    );
}

async function reasonOf(reading: Promise<Page>): Promise<string> {
  try {
    await reading;
    return 'read';
  } catch (error) {
    assert.ok(error instanceof PageError, String(error));
    return error.reason;
  }
}

suite('hostile pages', () => {
  const pages: Readonly<Record<string, () => string>> = {
    'ten megabytes of tags': () => '<b>x</b>'.repeat(1_250_000),
    'nesting without end': () => '<div>x'.repeat(100_000),
    'nested tables': () => '<table><tr><td>'.repeat(20_000),
    'nested lists and quotations': () => '<ul><li><blockquote>a'.repeat(20_000),
    'formats that are opened again in every paragraph': () => Array.from({ length: 20_000 }, (_, at) => `<p><font color=c${at}>x`).join(''),
    'one element with very many attributes': () => `<p ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(' ')}>x`,
    'comments and scripts that do not end': () => '<!--<script><style>'.repeat(200_000),
    'white space': () => `<pre>${' \t'.repeat(500_000)}x`,
    'styles that regular expressions stumble over': () => `<style>${'/*'.repeat(100_000)}</style><p style="${'display : '.repeat(10_000)}">x`,
    'class names': () => `<div class="${'nav-'.repeat(200_000)}">x</div>`,
    'structured data without end': () => `<script type="application/ld+json">${'['.repeat(1_000_000)}</script>x`,
    'titles': () => `<title>${' - | '.repeat(100_000)}</title><h1>${'# '.repeat(20_000)}</h1>`,
  }; // prettier-ignore

  test('each ends within the deadline, and the next page is read as ever', async (t) => {
    // As a server gives a page: a thread that was ended loads its parsers again, which takes seconds on a busy machine.
    const extract = open(t, 10_000);
    for (const [name, make] of variationsOf(Object.entries(pages), 10)) {
      const reason = await reasonOf(extract(make()));
      assert.ok(['read', 'timeout', 'too_complex'].includes(reason), `${name}: ${reason}`);
      assert.equal((await extract('<p>fine')).text, 'fine', name);
    }
  });

  test('deep nesting is cut like browsers do it, and its beginning is read', async (t) => {
    const page = await open(t, 60_000)(`<p>begin ${'<div>x'.repeat(100_000)}`);
    assert.match(page.text, /^begin/);
    assert.equal(page.truncated, true);
  });

  test('XML bombs do not go off', async (t) => {
    const extract = open(t, 60_000);
    const entities = Array.from(
      { length: 12 },
      (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
    ).join('');
    const laughs = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">${entities}]><r>&l12;</r>`;
    const reading = await extract(laughs, 'application/xml').then(
      ({ text }) => text.length,
      () => 0,
    );
    assert.ok(reading < 1_000_000);
    const blowup = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "${'x'.repeat(900)}">]><r>${'&a;'.repeat(500_000)}</r>`;
    assert.equal(await reasonOf(extract(blowup, 'application/xml')), 'unreadable');
    const outside = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><r>&a;</r>';
    const told = await extract(outside, 'application/xml').then(
      ({ text }) => text,
      () => '',
    );
    assert.doesNotMatch(told, /root:/);
    assert.equal(await reasonOf(extract('<a>'.repeat(300_000), 'application/xml')), 'unreadable');
  });

  test('archives that unpack to more than they say, or to too much, are refused', async (t) => {
    const extract = open(t, 60_000);
    const text = '<w:p><w:r><w:t>x</w:t></w:r></w:p>';
    const large = { name: 'word/styles.xml', bytes: Buffer.alloc(80_000_000, ' ') };
    assert.equal(await reasonOf(extract(makeDocx(text, { extra: [large] }), docx)), 'too_complex');
    assert.equal(
      await reasonOf(extract(makeDocx(text, { extra: [{ ...large, declared: 1_000 }] }), docx)),
      'unreadable',
    );
    assert.equal(await reasonOf(extract(makeDocx('<w:p>'.repeat(50_000)), docx)), 'unreadable');
    // What the converter does not need is not unpacked at all.
    const media = { name: 'word/media/image1.png', bytes: Buffer.alloc(80_000_000) };
    assert.equal((await extract(makeDocx(text, { extra: [media] }), docx)).text, 'x');
  });

  longTest('a PDF file that unpacks to gigabytes is given up before it holds them', async (t) => {
    const extract = open(t, 20_000);
    const stream = deflateSync(Buffer.alloc(350_000_000, ' '), { level: 1 });
    const before = process.memoryUsage.rss();
    const reason = await reasonOf(extract(makeRawPdf([stream, stream]), 'application/pdf'));
    assert.ok(['too_complex', 'timeout'].includes(reason), reason);
    assert.ok(process.memoryUsage.rss() - before < 1_500_000_000);
    assert.equal((await extract('<p>fine')).text, 'fine');
  });
});

suite('the page thread', () => {
  // Parsers compare each attribute of an element with all before it.
  const endless = Array.from({ length: 180_000 }, (_, at) => ` a${at}=1`).join('');

  test('pages that wait behind a hostile one are read after it', async (t) => {
    // Of the thread's own CPU time, which begins once its parsers are loaded.
    const extract = open(t, 2_000);
    const hostile = reasonOf(extract(`<p ${endless}>x`));
    const others = await Promise.all(['one', 'two', 'three'].map((text) => extract(`<p>${text}`)));
    assert.deepEqual(
      others.map(({ text }) => text),
      ['one', 'two', 'three'],
    );
    assert.equal(await hostile, 'timeout');
  });

  test('the queue has an end, and an abort leaves it', async (t) => {
    const client = openGuardedClient({ allowHosts: [], userAgent: 'Nestor' });
    const reader = openPageReader({ client, clock: systemClock });
    t.after(() => client.close());
    const leaver = new AbortController();
    const gone = new Error('gone');
    const read = (signal: AbortSignal) => reader.extract(Buffer.from('<p>x'), html, '', signal);
    const signal = AbortSignal.timeout(120_000);
    const readings = Array.from({ length: 65 }, (_, at) => read(at === 30 ? leaver.signal : signal));
    assert.equal(await reasonOf(read(signal)), 'busy');
    leaver.abort(gone);
    const settled = await Promise.allSettled(readings);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 64);
    assert.deepEqual(settled[30], { status: 'rejected', reason: gone });
    await reader.close();
    assert.equal(await reasonOf(read(signal)), 'busy');
  });

  test('closing ends what is under way', async () => {
    const client = openGuardedClient({ allowHosts: [], userAgent: 'Nestor' });
    const reader = openPageReader({ client, clock: systemClock });
    const signal = AbortSignal.timeout(120_000);
    const readings = [`<p ${endless}>x`, '<p>x'].map((page) =>
      reasonOf(reader.extract(Buffer.from(page), html, '', signal)),
    );
    setTimeout(() => void reader.close(), 100);
    assert.deepEqual(await Promise.all(readings), ['busy', 'busy']);
    await client.close();
  });
});
