import { Readability } from '@mozilla/readability';
import { JSDOM } from 'jsdom';
import { decodeText } from './charset.ts';
import { removeFrame, removeHidden, textLength } from './html-clean.ts';
import { hiddenRules } from './html-hidden.ts';
import { collectImages, collectLinks, readMeta } from './html-meta.ts';
import { trimSource } from './html-source.ts';
import { toText } from './html-text.ts';
import type { Found, PageHead } from './job.ts';

// Readability takes about 0.1 ms per element; beyond this the page is read without it.
const readabilityElementsMax = 8_000;
// Below this, a semantic element is taken for a teaser and not for the text.
const articleLengthMin = 250;

export interface HtmlReader {
  read(bytes: Uint8Array, head: PageHead): Found;
  /** Text of HTML that stands inside something else: a feed, a word processor's file. */
  readFragment(html: string): { readonly text: string; readonly document: Document };
}

/**
 * Reads HTML. Documents are made by the parser alone, without a window: scripts do not run, styles are not
 * applied and nothing is loaded, whatever the page asks for.
 */
export function createHtmlReader(): HtmlReader {
  const { window } = new JSDOM('');
  const parser = new window.DOMParser();
  const parse = (html: string): Document => parser.parseFromString(html, 'text/html');
  return {
    read(bytes, head) {
      const source = trimSource(decodeText(bytes, head.charset));
      const document = parse(source.html);
      const { base, ...meta } = readMeta(document, source.jsonLd, head);
      removeHidden(document, hiddenRules(source.styles));
      const links = collectLinks(document, base);
      const images = collectImages(document, base);
      const text = toText(textRoot(document, parse));
      return { ...meta, text, links, images, truncated: source.truncated };
    },
    readFragment(html) {
      const document = parse(trimSource(html).html);
      removeHidden(document, hiddenRules(''));
      return { text: toText(document.body), document };
    },
  };
}

/**
 * The element that holds the text: the one article or main element where the page has it, else what Readability
 * finds, unless that is only a part of a page without an article, such as a list or an index.
 */
function textRoot(document: Document, parse: (html: string) => Document): Element {
  removeFrame(document);
  const marked = markedRoot(document);
  if (marked !== null) return marked;
  if (document.getElementsByTagName('*').length > readabilityElementsMax) return document.body;
  const copy = parse(document.body.innerHTML);
  const readable = new Readability<Element>(copy, {
    serializer: (node) => node as Element,
    keepClasses: true,
    charThreshold: 250,
  }).parse()?.content;
  if (readable === null || readable === undefined) return document.body;
  const share = textLength(readable) / Math.max(1, textLength(document.body));
  return share < 0.4 ? document.body : readable;
}

function markedRoot(document: Document): Element | null {
  for (const selector of ['[itemprop~="articleBody"]', 'article', '[role="main"]', 'main']) {
    const found = [...document.querySelectorAll(selector)].filter(
      (element) => element.parentElement?.closest(selector) === null,
    );
    const [only] = found;
    if (found.length === 1 && only !== undefined && textLength(only) >= articleLengthMin)
      return withHeading(only);
  }
  return null;
}

/** The body of an article often begins below its heading. */
function withHeading(root: Element): Element {
  return root.getAttribute('itemprop') !== null && root.querySelector('h1') === null
    ? (root.closest('article, main, [role="main"]') ?? root)
    : root;
}
