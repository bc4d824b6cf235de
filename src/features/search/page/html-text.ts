import { beginningOf } from '../../../kernel/kit/text.ts';

const blockTags = new Set([
  'address', 'article', 'aside', 'body', 'center', 'dd', 'details', 'dialog', 'div', 'dl', 'dt', 'fieldset', 'figcaption',
  'figure', 'footer', 'form', 'header', 'hgroup', 'hr', 'li', 'main', 'nav', 'ol', 'p', 'section', 'summary', 'ul',
  'caption', 'table', 'tbody', 'thead', 'tfoot', 'tr', 'td', 'th',
]); // prettier-ignore

// Recursion and indentation end here; no page that people write comes near.
const depthMax = 200;

/** The text of an element with its structure in Markdown. */
export function toText(root: Element): string {
  const writer = new Writer();
  writeChildren(root, writer, { depth: 0, prefix: '' });
  return writer.text();
}

interface Place {
  readonly depth: number;
  /** Before every line: quotation marks and the indentation of lists. */
  readonly prefix: string;
}

class Writer {
  readonly #lines: string[] = [];
  #line = '';
  #prefix = '';
  /** In place of the prefix, before the next line only. */
  #mark: string | null = null;
  #gap = false;

  inline(text: string): void {
    const flat = text.replaceAll(/\s+/g, ' ');
    if (flat === ' ' && (this.#line === '' || this.#line.endsWith(' '))) return;
    this.#line += this.#line === '' || this.#line.endsWith(' ') ? flat.trimStart() : flat;
  }

  /** Ends the line; with `gap`, an empty one stands before the next. */
  end(prefix: string, gap: boolean): void {
    const line = this.#line.trimEnd();
    this.#line = '';
    if (line !== '') this.raw(line);
    this.#prefix = prefix;
    // An item whose first child is a paragraph still begins beside its mark.
    if (this.#mark === null) this.#gap ||= gap;
  }

  /** Begins an item of a list; null ends it, also when it stayed empty. */
  mark(mark: string | null): void {
    this.#mark = mark;
  }

  /** A line as it is. */
  raw(line: string): void {
    if (this.#gap && this.#lines.length > 0) this.#lines.push('');
    this.#gap = false;
    this.#lines.push(`${this.#mark ?? this.#prefix}${line}`.trimEnd());
    this.#mark = null;
  }

  text(): string {
    this.end('', false);
    return this.#lines.join('\n');
  }
}

function writeChildren(parent: Node, writer: Writer, place: Place): void {
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === 3) writer.inline(node.nodeValue ?? '');
    else if (node.nodeType === 1) writeElement(node as Element, writer, { ...place, depth: place.depth + 1 });
  }
}

function writeElement(element: Element, writer: Writer, place: Place): void {
  const { localName } = element;
  if (place.depth > depthMax) return writer.inline(element.textContent);
  if (/^h[1-6]$/.test(localName)) return writeHeading(element, writer, place);
  switch (localName) {
    case 'br':
      return writer.end(place.prefix, false);
    case 'pre':
      return writeCode(element, writer, place);
    case 'code':
    case 'kbd':
    case 'samp':
      return writer.inline(element.textContent.trim() === '' ? '' : `\`${element.textContent}\``);
    case 'ul':
    case 'ol':
      return writeList(element, writer, place);
    case 'table':
      if (isDataTable(element)) return writeTable(element, writer, place);
      break;
    case 'blockquote':
      return writeBlock(element, writer, { ...place, prefix: `${place.prefix}> ` }, place.prefix);
    default:
  }
  if (blockTags.has(localName)) writeBlock(element, writer, place, place.prefix);
  else writeChildren(element, writer, place);
}

function writeBlock(element: Element, writer: Writer, place: Place, after: string): void {
  // Lines of one term and its meaning, or of one cell and the next, stand together.
  const gap = !['dd', 'dt', 'tr', 'td', 'th', 'summary', 'figcaption'].includes(element.localName);
  writer.end(place.prefix, gap);
  if (element.localName === 'dd') writer.inline(': ');
  writeChildren(element, writer, place);
  writer.end(after, gap);
}

function writeHeading(element: Element, writer: Writer, { prefix }: Place): void {
  const text = headingText(element);
  if (text === '') return;
  writer.end(prefix, true);
  writer.inline(`${'#'.repeat(Number(element.localName.slice(1)))} ${text}`);
  writer.end(prefix, true);
}

/** All words on one line. Where a line or a block ends, a word does. */
function lineOf(element: Element): string {
  let text = '';
  const add = (node: Node): void => {
    if (node.nodeType === 3) text += node.nodeValue ?? '';
    if (node.nodeType !== 1) return;
    const { localName } = node as Element;
    const gap = localName === 'br' || blockTags.has(localName) ? ' ' : '';
    text += gap;
    for (let inner = node.firstChild; inner !== null; inner = inner.nextSibling) add(inner);
    text += gap;
  };
  add(element);
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** One line without the sign of the link to itself that documentation puts behind headings. */
export function headingText(heading: Element): string {
  const text = lineOf(heading).slice(0, 4_000).trim();
  return ['#', '\u00b6', '\u{1f517}'].some((sign) => text.endsWith(sign))
    ? beginningOf(text, text.length - 1).trim()
    : text;
}

function writeCode(element: Element, writer: Writer, { prefix }: Place): void {
  for (const br of element.querySelectorAll('br')) br.replaceWith('\n');
  const names = `${element.getAttribute('class') ?? ''} ${element.querySelector('code')?.getAttribute('class') ?? ''}`;
  const language = /(?:language|lang|highlight-source|brush:)[-\s]?(?<name>[a-z0-9+#]{1,20})/i.exec(names)
    ?.groups?.['name'];
  const code = element.textContent.replaceAll(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd();
  if (code === '') return;
  writer.end(prefix, true);
  for (const line of [`\`\`\`${language ?? ''}`, ...code.split('\n'), '```']) writer.raw(line);
  writer.end(prefix, true);
}

function writeList(element: Element, writer: Writer, place: Place): void {
  const isNested = element.parentElement?.localName === 'li';
  writer.end(place.prefix, !isNested);
  let number = Number(element.getAttribute('start') ?? 1);
  if (!Number.isSafeInteger(number)) number = 1;
  for (const child of element.children) {
    const mark = element.localName === 'ol' ? `${number++}. ` : '- ';
    if (child.localName === 'li') {
      const inside = `${place.prefix}${' '.repeat(mark.length)}`;
      writer.end(inside, false);
      writer.mark(`${place.prefix}${mark}`);
      writeChildren(child, writer, { depth: place.depth + 1, prefix: inside });
      writer.end(place.prefix, false);
      writer.mark(null);
    } else writeElement(child, writer, { ...place, depth: place.depth + 1 });
  }
  writer.end(place.prefix, !isNested);
}

/** Tables for layout hold blocks or other tables; their cells are read one after the other. */
function isDataTable(table: Element): boolean {
  if (
    table.getAttribute('role') === 'presentation' ||
    table.querySelector('table, pre, h1, h2, h3, ul, ol') !== null
  ) {
    return false;
  }
  return [...table.querySelectorAll('tr')].some((row) => row.children.length > 1);
}

function writeTable(table: Element, writer: Writer, { prefix }: Place): void {
  const cellText = (cell: Element) => lineOf(cell).replaceAll('|', '/');
  writer.end(prefix, true);
  const caption = table.querySelector('caption');
  if (caption !== null) writer.inline(cellText(caption));
  writer.end(prefix, true);
  let isFirst = true;
  for (const row of table.querySelectorAll('tr')) {
    const cells = [...row.children].map(cellText);
    if (cells.every((cell) => cell === '')) continue;
    writer.raw(`| ${cells.join(' | ')} |`);
    if (isFirst) writer.raw(`|${' --- |'.repeat(cells.length)}`);
    isFirst = false;
  }
  writer.end(prefix, true);
}
