import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openGuardedClient } from '../../src/kernel/kit/guarded-client.ts';
import { openPageReader } from '../../src/features/search/page/open-page-reader.ts';
import { makeDocx, makePdf } from '../support/site-files.ts';

const client = openGuardedClient({ allowHosts: [], userAgent: 'Nestor' });
const clock = { now: () => Date.UTC(2026, 0, 15), monotonic: () => 0 };
const reader = openPageReader({ client, clock, timeoutMs: 60_000 });
after(async () => {
  await reader.close();
  await client.close();
});

const signal = AbortSignal.timeout(300_000);
const extract = (bytes: string | Uint8Array, type: string, url = 'https://site.example/folder/file') =>
  reader.extract(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, type, url, signal);

const extractFile = (bytes: Uint8Array, label: Parameters<typeof reader.extractFile>[1]) =>
  reader.extractFile(Buffer.from(bytes).toString('base64'), label, { signal, account: 'acme' });
const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const paragraph = (text: string, run = '') => `<w:p><w:r>${run}<w:t>${text}</w:t></w:r></w:p>`;

suite('PDF', () => {
  const words = ['tide', 'moon', 'wind', 'coast', 'harbour', 'gull', 'pier', 'storm'];
  const filler = (page: number) =>
    words.map(
      (word, line) =>
        `Here the ${words[(line + page) % 8] ?? ''} meets the ${word}${line === 7 ? ` ${'at last '.repeat(page)}` : '.'}`,
    );

  test('paragraphs, headings, parted words, title, dates and links', async () => {
    const pdf = makePdf(
      [
        [{ text: 'Tides of the North Sea', size: 22 }, '', 'The tide rises twice a day and its height de-', 'pends on the moon as much as on the', 'wind (and the coast).', '', { text: 'Methods', size: 16 }, '', 'We measured for a year.'],
        ['A second page.'],
      ],
      { info: { Title: 'Microsoft Word - Tides', CreationDate: "D:20190430230000+02'00'", ModDate: 'D:20190502' }, link: 'https://tides.example/data' },
    ); // prettier-ignore
    const page = await extract(pdf, 'application/pdf');
    assert.equal(
      page.text,
      '## Tides of the North Sea\n\nThe tide rises twice a day and its height depends on the moon as much as on the wind (and the coast).' +
        '\n\n## Methods\n\nWe measured for a year.\n\nA second page.',
    );
    assert.deepEqual(
      [page.title, page.date, page.lastUpdated, page.language],
      ['Tides', '2019-04-30', '2019-05-02', 'en'],
    );
    assert.deepEqual(page.links, [{ url: 'https://tides.example/data', text: '' }]);
  });

  test('running heads and page numbers of a long document are left out', async () => {
    const pages = [1, 2, 3, 4, 5].map((page) => [
      'Report of the harbour',
      ...filler(page),
      `Page ${page} of 5`,
    ]);
    const page = await extract(makePdf(pages), 'application/pdf');
    assert.doesNotMatch(page.text, /Report of the harbour|Page \d of 5/);
    assert.match(page.text, /Here the harbour meets the storm at last/);
  });

  test('it is known by its bytes, whatever the server calls it; broken ones are told', async () => {
    const page = await extract(makePdf([['Hello there.']]), 'text/html');
    assert.equal(page.text, 'Hello there.');
    await assert.rejects(extract('%PDF-1.7 and then nothing', 'application/pdf'), {
      name: 'PageError',
      reason: 'unreadable',
    });
    const html = await extract('<!doctype html><p>Sign in first', 'application/pdf');
    assert.equal(html.text, 'Sign in first');
  });
});

suite('DOCX', () => {
  const heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Minutes</w:t></w:r></w:p>';
  const table =
    '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Who</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>What</w:t></w:r></w:p></w:tc></w:tr></w:tbl>';

  test('text, tables, title and dates; hidden runs are left out', async () => {
    const core =
      '<cp:coreProperties xmlns:cp="x" xmlns:dc="y" xmlns:dcterms="z"><dc:title>Minutes &amp; more</dc:title>' +
      '<dcterms:created>2024-02-29T10:00:00Z</dcterms:created><dcterms:modified>2024-03-01T10:00:00Z</dcterms:modified></cp:coreProperties>';
    const body =
      heading +
      paragraph('We met on Monday.') +
      table +
      paragraph('SECRET', '<w:rPr><w:vanish/></w:rPr>') +
      paragraph('Seen', '<w:rPr><w:vanish w:val="0"/></w:rPr>');
    const page = await extract(makeDocx(body, { core }), docxType);
    assert.match(page.text, /We met on Monday\./);
    assert.match(page.text, /\| Who \| What \|/);
    assert.match(page.text, /Seen/);
    assert.doesNotMatch(page.text, /SECRET/);
    assert.deepEqual(
      [page.title, page.date, page.lastUpdated],
      ['Minutes & more', '2024-02-29', '2024-03-01'],
    );
  });

  test('pictures that stand elsewhere are not fetched and files of the machine are not read', async () => {
    const marker = fileURLToPath(new URL('../../package.json', import.meta.url));
    assert.ok(existsSync(marker));
    const image = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image';
    const relations = `<Relationship Id="rId9" Type="${image}" Target="file://${marker}" TargetMode="External"/>`;
    const drawing =
      '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="plan"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:link="rId9"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
    const docx = makeDocx(paragraph('Before') + drawing + paragraph('After'), { relations });
    const [outcome] = await Promise.allSettled([extractFile(docx, { fileName: 'plan.docx' })]);
    assert.ok(outcome.status === 'rejected' || /After/.test(outcome.value.text));
    const encoded = readFileSync(marker).toString('base64').slice(0, 40);
    assert.ok(
      !JSON.stringify(outcome).includes(encoded) && !JSON.stringify(outcome).includes('nestor-server'),
    );
  });
});

suite('text formats', () => {
  test('HTML: the sign of the link to itself that stands behind a heading is no part of it', async () => {
    for (const sign of ['#', '\u00b6', '\u{1f517}']) {
      const source = `<html><body><main><h2>Usage of it <a href="#usage">${sign}</a></h2><p>One calls it.</p></main>`;
      assert.equal((await extract(source, 'text/html')).text, '## Usage of it\n\nOne calls it.');
    }
  });

  test('Markdown: front matter is read, comments are dropped, links are told', async () => {
    const source =
      '---\ntitle: "The pier"\ndate: 2024-05-06\nupdated: 2024-05-07\nlang: en\n---\n# Pier\n\nSee [the map](../map.md) and ![a boat](/boat.png).\n\n<!-- SECRET -->\n\nWrite `<!-- more -->` where it ends.\n\n- one\n- two [x](https://x.example/)\n';
    const page = await extract(source, 'text/plain', 'https://site.example/docs/pier.md');
    assert.deepEqual(
      [page.title, page.date, page.lastUpdated, page.language],
      ['The pier', '2024-05-06', '2024-05-07', 'en'],
    );
    assert.match(page.text, /^# Pier\n\nSee \[the map\]/);
    assert.match(page.text, /`<!-- more -->`[^]*- two/);
    assert.doesNotMatch(page.text, /SECRET|title:/);
    assert.deepEqual(page.links, [
      { url: 'https://site.example/map.md', text: 'the map' },
      { url: 'https://x.example/', text: 'x' },
    ]);
    assert.deepEqual(
      page.images.map(({ url, alt }) => [url, alt]),
      [['https://site.example/boat.png', 'a boat']],
    );
  });

  test('CSV, JSON and text stay as they are, in their charset', async () => {
    assert.equal((await extract('a;b\r\n1;2\r\n', 'text/csv')).text, 'a;b\n1;2');
    assert.equal((await extract('{"a": [1, 2]}', 'application/ld+json')).text, '{"a": [1, 2]}');
    assert.equal((await extract(Buffer.from('gr\u00fcn', 'latin1'), 'text/plain')).text, 'gr\u00fcn');
    assert.equal((await extract(Buffer.from('\ufeffgr\u00fcn', 'utf16le'), 'text/plain')).text, 'gr\u00fcn');
    assert.equal(
      (await extract(Buffer.from('\u00a4', 'latin1'), 'text/plain; charset=iso-8859-15')).text,
      '\u20ac',
    );
    assert.equal(
      (await extract('plain', 'text/plain', 'https://site.example/a/read%20me.txt')).title,
      'read me.txt',
    );
  });

  test('feeds are lists of their entries, sitemaps are links, other XML is its text', async () => {
    const rss =
      '<?xml version="1.0"?><rss version="2.0"><channel><title>Gull</title><language>en-us</language><lastBuildDate>Tue, 05 Mar 2024 10:00:00 GMT</lastBuildDate>' +
      '<item><title>Tram &amp; harbour</title><link>/tram</link><pubDate>Mon, 04 Mar 2024 10:00:00 GMT</pubDate><description>&lt;p&gt;It is &lt;b&gt;built&lt;/b&gt;.&lt;/p&gt;&lt;script&gt;x&lt;/script&gt;</description></item></channel></rss>';
    const feed = await extract(rss, 'application/rss+xml', 'https://gull.example/feed');
    assert.deepEqual(
      [feed.title, feed.text, feed.language],
      ['Gull', '## Tram & harbour\n\n2024-03-04\n\nIt is built.', 'en'],
    );
    assert.deepEqual([feed.date, feed.lastUpdated], [null, '2024-03-05']);
    assert.deepEqual(feed.links, [{ url: 'https://gull.example/tram', text: 'Tram & harbour' }]);
    const atom =
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>One</title><link rel="self" href="/self"/><link href="/one"/><updated>2024-01-02T00:00:00Z</updated><summary>Short.</summary></entry></feed>';
    const entries = await extract(atom, 'application/atom+xml', 'https://a.example/');
    assert.deepEqual(
      [entries.text, entries.links[0]?.url],
      ['## One\n\n2024-01-02\n\nShort.', 'https://a.example/one'],
    );
    const sitemap =
      '<urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a.example/2</loc></url></urlset>';
    const map = await extract(sitemap, 'application/xml', 'https://a.example/sitemap.xml');
    assert.deepEqual(
      map.links.map(({ url }) => url),
      ['https://a.example/1', 'https://a.example/2'],
    );
    assert.equal((await extract('<a x="1"><b>one</b><c>two</c></a>', 'text/xml')).text, 'one\ntwo');
    await assert.rejects(extract('<a><b', 'text/xml'), { reason: 'unreadable' });
  });
});

suite('files that callers attach', () => {
  test('the seven kinds are read, by name or by type', async () => {
    const files = {
      'a.pdf': makePdf([['words here']]),
      'b.txt': Buffer.from('words here'),
      'c.md': Buffer.from('words here'),
      'd.csv': Buffer.from('words here'),
      'e.json': Buffer.from('"words here"'),
      'f.html': Buffer.from('<p>words here'),
      'g.docx': makeDocx(paragraph('words here')),
    };
    for (const [fileName, bytes] of Object.entries(files)) {
      const page = await extractFile(bytes, { fileName });
      assert.ok(page.text.includes('words here'), fileName);
      assert.equal(page.url, fileName);
    }
    await extractFile(files['g.docx'], { mediaType: docxType });
    assert.equal((await extractFile(files['b.txt'], {})).text, 'words here');
    await assert.rejects(extractFile(Buffer.from([0x67, 0xff, 0x68]), {}), { reason: 'unsupported' });
  });

  test('other files are an error that names what is read', async () => {
    const others: readonly (readonly [string, Uint8Array])[] = [
      ['a.xml', Buffer.from('<a/>')],
      ['b.zip', makeDocx('')],
      ['c.exe', Buffer.from('MZ\u0000\u0000')],
      ['d.png', Buffer.from('\u0089PNG\u0000', 'latin1')],
      ['e', Buffer.from('words')],
      ['f.docx', Buffer.from('no archive')],
      ['g.txt', Buffer.from('words\u0000words')],
    ];
    for (const [fileName, bytes] of others) {
      await assert.rejects(
        extractFile(bytes, { fileName }),
        {
          name: 'PageError',
          reason: 'unsupported',
          message: 'Only PDF, TXT, MD, CSV, JSON, HTML and DOCX files are read.',
        },
        fileName,
      );
    }
    const large = new Uint8Array(20_971_521);
    await assert.rejects(extractFile(large, { fileName: 'a.txt' }), {
      name: 'PageError',
      reason: 'too_large',
    });
  });
});
