import type { SiteFile } from './site.ts';

const cookieBanner =
  '<div id="onetrust-banner" class="cookie-consent" role="dialog"><p>We value your privacy. We and our 812 partners use cookies.</p><button>Accept all</button></div>';
const share = '<div class="share-bar"><a href="https://social.example/share">Share this story</a></div>';

/** A news article without a semantic element, as older systems write them. */
const news = `<!doctype html><html lang="en-US"><head>
<meta charset="utf-8"><title>Council approves tram line to the harbour | The Daily Gull</title>
<meta property="og:site_name" content="The Daily Gull">
<meta property="article:published_time" content="2024-03-05T23:30:00-08:00">
<link rel="canonical" href="https://www.gull.example/tram-line">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Council approves tram line to the harbour","datePublished":"2024-03-05T23:30:00-08:00","dateModified":"2024-03-07T08:00:00-08:00"}</script>
<script>document.title = 'changed by a script';</script><style>.promo-x { display: none }</style></head>
<body>${cookieBanner}
<div class="top"><ul class="navbar"><li><a href="/politics">Politics</a></li><li><a href="/sport">Sport</a></li></ul></div>
<div id="content"><h1>Council approves tram line to the harbour</h1>${share}
<div class="story"><p>The city council voted on Tuesday to build a tram line from the central station to the harbour, ending a debate that had lasted for eleven years and three elections.</p>
<p>Construction is to begin in 2026 and will cost an estimated 240 million euros, of which the region pays a third. The line will have fourteen stops and carry some 40,000 passengers a day, according to the transport office.</p>
<h2>Objections from the market</h2>
<p>Traders of the fish market had asked for another route, because the rails cross the square on which they unload at night. "We were heard, but we were not listened to," said their speaker, Ada Holm, after the vote.</p>
<blockquote><p>We were heard, but we were not listened to.</p></blockquote>
<p>The mayor replied that deliveries would be possible at all times, and that the square would be closed to cars in return, which the traders had demanded for decades.</p></div>
<div class="newsletter-signup"><p>Get the Gull in your inbox every morning.</p></div>
<div class="related"><h3>Related stories</h3><a href="/bus">Bus drivers go on strike</a></div></div>
<div class="comments"><p>First! This comment is by a reader and not by the paper.</p></div>
<div class="footer"><p>Copyright The Daily Gull. Imprint, terms and privacy.</p></div></body></html>`;

/** A page of documentation with navigation on both sides, code, a table and a note. */
const docs = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Installing the client - Harbour 3.2 documentation</title></head>
<body><a class="skip-link" href="#main">Skip to content</a>
<header><nav><a href="/">Home</a><a href="/search">Search docs</a></nav></header>
<div class="layout"><nav class="sidebar" aria-label="Docs"><ul><li><a href="install">Installing</a></li><li><a href="usage">Using the client</a></li><li><a href="upgrade">Upgrading</a></li></ul></nav>
<main id="main"><nav class="breadcrumbs"><a href="/">Docs</a> / Setup</nav>
<h1>Installing the client<a class="headerlink" href="#installing">\u00b6</a></h1>
<p>The client runs on Linux, macOS and Windows. You need <code>node</code> 24 or newer, and about 40 MB of free space on the disk for the cache.</p>
<ol><li>Fetch the package.</li><li>Run the installer:
<pre><code class="language-sh"><span class="hljs-built_in">npm</span> install harbour
npx harbour init --port 8080
</code></pre></li><li>Open the address that it prints.</li></ol>
<aside class="admonition note"><p class="admonition-title">Note</p><p>Behind a proxy, set <code>HTTPS_PROXY</code> first.</p></aside>
<h2>Options</h2>
<table><thead><tr><th>Option</th><th>Default</th><th>Meaning</th></tr></thead><tbody>
<tr><td><code>--port</code></td><td>8080</td><td>Port to listen on.</td></tr><tr><td><code>--quiet</code></td><td>off</td><td>Prints nothing.</td></tr></tbody></table>
<dl><dt>exit code 2</dt><dd>The port is in use.</dd></dl>
<p class="last-updated">Last updated on <time itemprop="dateModified" datetime="2025-01-20">20 January 2025</time></p></main>
<aside class="toc"><p>On this page</p><a href="#options">Options</a></aside></div>
<footer><p>Built with a generator.</p></footer></body></html>`;

/** A post of a blog with the comments of its readers. */
const blog = `<!doctype html><html lang="en"><head><title>Why my sourdough failed &mdash; Crumbs</title><meta name="generator" content="WordPress"></head>
<body class="single with-sidebar"><header class="site-header"><p class="site-title"><a href="/">Crumbs</a></p></header>
<article class="post"><header><h1 class="entry-title">Why my sourdough failed</h1><p>Posted on <time class="entry-date published" datetime="2023-11-02T09:15:00+00:00">2 November 2023</time>, updated <time class="updated" datetime="2023-11-09T10:00:00+00:00">9 November</time> by Mia</p></header>
<div class="entry-content"><p>For three weeks my loaves came out flat and sour. I changed the flour, then the oven, and in the end I found that the kitchen was simply too cold for the starter at night.</p>
<p>A starter that is fed at 18 degrees needs twice the time of one at 24. I now keep mine on top of the refrigerator, <strong>wrapped in a towel</strong>, and bake in the morning.</p>
<figure><img src="/loaf.jpg" alt="A loaf with an open crumb" width="640" height="480"><figcaption>The fourth attempt.</figcaption></figure>
<ul><li>Feed at the same hour every day.</li><li>Weigh the water, do not measure it.</li></ul></div>
<footer class="entry-footer">Filed under <a href="/bread">bread</a></footer></article>
<div id="comments" class="comments-area"><h2>3 thoughts</h2><ol class="comment-list"><li class="comment"><p>Mine failed as well, thank you for the tip with the towel, I will try it.</p></li></ol></div>
<aside class="widget-area"><h2>Recent posts</h2><ul><li><a href="/rye">Rye for beginners</a></li></ul></aside></body></html>`;

/** A list of releases: many links, no article. */
const list = `<!doctype html><html><head><title>Releases</title></head><body><div class="menu"><a href="/">Start</a> <a href="/about">About us</a></div>
<h1>Releases</h1><p>All releases of the harbour client, newest first.</p><ul class="releases">
${Array.from({ length: 30 }, (_, index) => `<li><a href="/releases/3.${30 - index}">Harbour 3.${30 - index}</a> <time datetime="2024-0${(index % 9) + 1}-11">month ${index}</time> fixes ${index} defects</li>`).join('\n')}
</ul></body></html>`;

/** Tables for layout, no semantic element, no title, upper case tags: a page of the nineties that is still there. */
const old = `<HTML><BODY BGCOLOR="#ffffff"><TABLE WIDTH=600><TR><TD VALIGN=top><A HREF="index.htm">Home</A><BR><A HREF="boats.htm">Boats</A></TD>
<TD><H2>The lighthouse of Skagen</H2><P>The grey lighthouse was built in 1858 and stands 46 metres tall, which made it the tallest of the country for a hundred and fifty years.
<P>Its lamp burned rape oil first, then paraffin, and was electrified in the year of 1913. Today it houses a centre for the study of migrating birds, and the tower is open to visitors.
<P>Behind it lies the place where the two seas meet, and on some days a line of foam marks the border between them for miles.</TD></TR></TABLE></BODY></HTML>`;

const german = `<!doctype html><html><head><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><title>Gr\u00fc\u00dfe aus L\u00fcbeck - Reiseblatt</title></head>
<body><div id="nav"><a href="/">Startseite</a></div><div class="text"><h1>Gr\u00fc\u00dfe aus L\u00fcbeck</h1>
<p>Die Altstadt liegt auf einer Insel in der Trave und ist mit ihren sieben T\u00fcrmen schon von weitem zu sehen. Wer fr\u00fch am Morgen durch die G\u00e4nge geht, trifft kaum jemanden au\u00dfer den B\u00e4ckern.</p>
<p>F\u00fcr den R\u00fcckweg empfiehlt sich das Schiff, das nicht viel mehr kostet als der Bus und eine sch\u00f6ne Aussicht auf die Speicher bietet, die mit der Stadt gro\u00df geworden sind.</p></div></body></html>`;

const japanese =
  '<html><head><meta charset="Shift_JIS"><title>\u6e2f\u306e\u6b74\u53f2</title></head><body><h1>\u6e2f\u306e\u6b74\u53f2</h1>' +
  '<p>\u3053\u306e\u6e2f\u306f\u5341\u4e5d\u4e16\u7d00\u306e\u7d42\u308f\u308a\u306b\u9032\u6b69\u7684\u306a\u5546\u4eba\u305f\u3061\u306b\u3088\u3063\u3066\u958b\u304b\u308c\u307e\u3057\u305f\u3002</p>' +
  '<p>\u4eca\u3067\u306f<ruby>\u65c5\u884c<rt>\u308a\u3087\u3053\u3046</rt></ruby>\u8005\u306e\u59ff\u3082\u591a\u304f\u898b\u3089\u308c\u307e\u3059\u3002</p></body></html>';

/** Words for machines in every place where people do not see them. */
const hidden = `<!doctype html><html lang="en"><head><title>Opening hours</title><style>/* x */ .q1, p.q2 { display: none } #q3{ visibility:hidden }
@media print { .shown { display: none } } body { visibility: visible }</style></head><body><main><h1>Opening hours</h1>
<p class="shown">The museum is open from nine to five on all days but Monday, and until eight on the first Thursday of every month. Tickets are sold until one hour before closing, at the desk and online.</p>
<p>Groups of more than ten people are asked to book a guide in advance; schools enter free of charge on weekdays, with one adult for every eight children.</p>
<p class="hidden md:block">Wide windows show the map.</p><table><tr><th>Day</th><th class="d-none d-lg-table-cell">Last entry</th></tr><tr><td>Sunday</td><td class="d-none d-lg-table-cell">Half past four,<br>5 in summer</td></tr></table>
<h2>Groups<br>and schools</h2>
<p class="hidden lg:hidden">SECRET windows</p><!-- SECRET comment --><p style="display:none">SECRET display</p><p style="visibility: hidden">SECRET visibility</p><p hidden>SECRET attribute</p>
<p aria-hidden="true">SECRET aria</p><span style="font-size:0">SECRET size</span><div style="position:absolute;left:-9999px">SECRET place</div>
<div style="opacity: 0.0">SECRET opacity</div><p style="color:#fff;background-color:#FFF">SECRET colour</p><p style="height:0;overflow:hidden">SECRET height</p>
<p class="q1">SECRET class</p><p class="a q2">SECRET rule</p><p id="q3">SECRET id</p><span class="sr-only">SECRET reader</span><template><p>SECRET template</p></template>
<noscript>SECRET noscript</noscript><dialog>SECRET dialog</dialog><textarea>SECRET textarea</textarea><select><option>SECRET option</option></select>
<svg><text>SECRET svg</text></svg><iframe srcdoc="SECRET">SECRET iframe</iframe><p style="clip-path: inset(50%)">SECRET clip</p><p style="text-indent:-5000px">SECRET indent</p>
<p>Cloak\u200b\u2060room\u{e0053}\u{e0045}\u{e0043} and \u202ecaf\u00ad\u00e9\u202c: \u{1f468}\u200d\u{1f469}\u200d\u{1f467} welcome.</p></main></body></html>`;

/** Pages as sites really write them, by path. */
export const realPages: Readonly<Record<string, SiteFile>> = {
  '/news': { body: news, type: 'text/html' },
  '/docs/install': { body: docs },
  '/blog/sourdough': { body: blog },
  '/releases': { body: list, headers: { 'last-modified': 'Mon, 12 Aug 2024 10:00:00 GMT' } },
  '/skagen.htm': { body: old, type: 'text/html' },
  '/luebeck': { body: Buffer.from(german, 'latin1'), type: 'text/html' },
  '/minato': { body: encodeShiftJis(japanese), type: 'text/html' },
  '/museum': { body: hidden },
  '/app': {
    body: '<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script>render()</script></body></html>',
  },
};

/** The bytes of a text in Shift_JIS, by turning its decoder round. */
function encodeShiftJis(text: string): Buffer {
  const decoder = new TextDecoder('shift_jis');
  const codes = new Map<string, number[]>();
  for (let lead = 0x81; lead <= 0xfc; lead++) {
    for (let trail = 0x40; trail <= 0xfc; trail++) {
      const sign = decoder.decode(Uint8Array.of(lead, trail));
      if (sign.length === 1 && sign !== '\ufffd' && !codes.has(sign)) codes.set(sign, [lead, trail]);
    }
  }
  return Buffer.from([...text].flatMap((sign) => codes.get(sign) ?? [sign.charCodeAt(0)]));
}
