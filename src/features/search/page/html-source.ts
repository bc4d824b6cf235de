/** What is left to parse of an HTML text, and what was taken out of it on the way. */
interface HtmlSource {
  readonly html: string;
  /** Contents of the `style` elements, for rules that hide. */
  readonly styles: string;
  /** Contents of the JSON-LD scripts. */
  readonly jsonLd: readonly string[];
  readonly truncated: boolean;
}

// A tag costs about 2 KB and 0.1 ms until it is text; what is longer is read to here.
const tagsMax = 40_000;
const sourceLengthMax = 8_000_000;
const lengthMax = 2_000_000;
// Browsers stop nesting at 512 and people far earlier; what reads the tree takes time with the square of the depth.
const depthMax = 256;
// What is still open of these is opened again in every following paragraph.
const formatsMax = 100;
const formats = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));
const stylesLengthMax = 500_000;
const jsonLdMax = 20;

const opening =
  /<(?:!--|(?<raw>script|style|template)(?=[\s/>])|(?<close>\/?)(?<name>[a-z][a-z0-9-]{0,30}))/gi;

// Elements that end without an end tag, or that have none.
const flat = new Set([
  'p', 'li', 'dt', 'dd', 'tr', 'td', 'th', 'thead', 'tbody', 'tfoot', 'option', 'optgroup', 'br', 'hr', 'img', 'input',
  'meta', 'link', 'area', 'base', 'col', 'colgroup', 'embed', 'param', 'source', 'track', 'wbr', 'path', 'rect', 'circle',
  'use', 'line', 'polygon', 'html', 'head', 'body', 'rt', 'rp',
]); // prettier-ignore

/**
 * Takes scripts, styles and comments out of the source, which are most of its bytes and none of its text, and cuts
 * it where the parser would become expensive. One pass, linear in the length.
 */
export function trimSource(source: string): HtmlSource {
  const text = source.slice(0, sourceLengthMax);
  const kept: string[] = [];
  const jsonLd: string[] = [];
  const styles: string[] = [];
  const scan = new RegExp(opening);
  let from = 0;
  let end = text.length;
  let tags = 0;
  let depth = 0;
  let open = 0;
  let length = 0;
  for (let found = scan.exec(text); found !== null; found = scan.exec(text)) {
    const { raw, close, name } = found.groups ?? {};
    if (name !== undefined) {
      const step = close === '/' ? -1 : 1;
      const tag = name.toLowerCase();
      if (formats.has(tag)) open = Math.max(0, open + step);
      else if (!flat.has(tag)) depth = Math.max(0, depth + step);
      const fits = ++tags <= tagsMax && depth <= depthMax && open <= formatsMax;
      if (fits && length + found.index - from <= lengthMax) continue;
      end = found.index;
      break;
    }
    kept.push(text.slice(from, found.index));
    length += found.index - from;
    const kind = raw?.toLowerCase();
    const closing = kind === undefined ? commentEnd(text, found.index) : elementEnd(text, found.index, kind);
    const inner = text.slice(closing.inner, closing.close);
    if (kind === 'style') styles.push(inner);
    else if (kind === 'script' && isJsonLd(text.slice(found.index, closing.inner))) jsonLd.push(inner);
    from = closing.after;
    scan.lastIndex = from;
  }
  kept.push(text.slice(from, Math.max(from, Math.min(end, from + lengthMax - length))));
  return {
    html: kept.join(''),
    styles: styles.join('\n').slice(0, stylesLengthMax),
    jsonLd: jsonLd.slice(0, jsonLdMax),
    truncated: end < text.length || text.length < source.length || length + end - from > lengthMax,
  };
}

interface Closing {
  readonly inner: number;
  readonly close: number;
  readonly after: number;
}

function commentEnd(text: string, at: number): Closing {
  const inner = at + 4;
  // "<!-->" and "<!--->" are whole comments.
  const short = /^-?>/.exec(text.slice(inner, inner + 2));
  if (short !== null) return { inner, close: inner, after: inner + short[0].length };
  const close = text.indexOf('-->', inner);
  return close < 0 ? { inner, close: text.length, after: text.length } : { inner, close, after: close + 3 };
}

function elementEnd(text: string, at: number, name: string): Closing {
  const inner = text.indexOf('>', at) + 1;
  if (inner === 0) return { inner: text.length, close: text.length, after: text.length };
  const closing = new RegExp(`</${name}(?=[\\s/>])[^>]*>?`, 'gi');
  closing.lastIndex = inner;
  const found = closing.exec(text);
  if (found === null) return { inner, close: text.length, after: text.length };
  return { inner, close: found.index, after: found.index + found[0].length };
}

function isJsonLd(tag: string): boolean {
  return /\btype\s*=\s*["']?application\/ld\+json/i.test(tag.slice(0, 500));
}
