/** A line of a PDF page. Lengths in points, `y` from the bottom. */
export interface PdfLine {
  readonly text: string;
  readonly size: number;
  readonly y: number;
}

/** Joins the pieces of a page, which are words or parts of words at places, into its lines. */
export function toLines(items: readonly unknown[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let text = '';
  let size = 0;
  let y = 0;
  const end = () => {
    const line = text.replaceAll(/\s+/g, ' ').trim();
    if (line !== '') lines.push({ text: line, size, y });
    text = '';
    size = 0;
  };
  for (const item of items) {
    if (!isTextItem(item)) continue;
    const [, , c = 0, d = 0, , itemY = 0] = item.transform;
    const itemSize = Math.hypot(c, d);
    if (text.trim() !== '' && Math.abs(itemY - y) > Math.max(size, itemSize) * 0.7) end();
    if (item.str.trim() !== '') {
      size = Math.max(size, itemSize);
      y = itemY;
    }
    text += item.str;
    if (item.hasEOL) end();
  }
  end();
  return lines;
}

/** Paragraphs and headings of a document from the sizes and distances of its lines. */
export function toPdfText(pages: readonly (readonly PdfLine[])[]): {
  readonly text: string;
  readonly heading: string;
} {
  const repeated = repeatedLines(pages);
  const body = bodySize(pages);
  const blocks: string[] = [];
  let heading = '';
  for (const page of pages) {
    let last: PdfLine | null = null;
    for (const [index, line] of page.entries()) {
      if (isEdge(page, index) && repeated.has(shape(line.text))) continue;
      const isHeading = line.size >= body * 1.2 && line.text.length <= 150 && /\p{L}/u.test(line.text);
      if (isHeading && heading === '' && blocks.length < 5) heading = line.text;
      const open: string | undefined = blocks.at(-1);
      const continues =
        last !== null && open !== undefined && Math.abs(last.size - line.size) < 0.6 && isNext(last, line);
      if (continues) blocks[blocks.length - 1] = join(open, line.text);
      else blocks.push(isHeading ? `## ${line.text}` : line.text);
      last = line;
    }
  }
  return { text: blocks.join('\n\n'), heading };
}

/** Whether a line goes on with the paragraph above it: no wider than usual below, and no item of a list. */
function isNext(last: PdfLine, line: PdfLine): boolean {
  const gap = last.y - line.y;
  return (
    gap > 0 &&
    gap < Math.max(last.size, line.size) * 1.75 &&
    !/^(?:[\u2022\u25aa\u2013*-]|\(?\d{1,2}[.)])\s/.test(line.text)
  );
}

/** A word that was parted at the end of a line is one word again. */
function join(before: string, after: string): string {
  return /\p{Ll}-$/u.test(before) && /^\p{Ll}/u.test(after)
    ? before.slice(0, -1) + after
    : `${before} ${after}`;
}

/** Size in which most letters are set. */
function bodySize(pages: readonly (readonly PdfLine[])[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of pages.flat()) {
    const rounded = Math.round(size * 2) / 2;
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
  }
  return [...letters].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 10;
}

/** Running heads and page numbers: first or last lines that stand on most pages. */
function repeatedLines(pages: readonly (readonly PdfLine[])[]): ReadonlySet<string> {
  if (pages.length < 4) return new Set();
  const counts = new Map<string, number>();
  for (const page of pages) {
    const edges = new Set(page.filter((_, index) => isEdge(page, index)).map(({ text }) => shape(text)));
    for (const edge of edges) counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= pages.length * 0.6).map(([text]) => text));
}

/** The first and the last two lines of a page that has more than a few. */
function isEdge({ length }: readonly PdfLine[], index: number): boolean {
  return length >= 6 && (index < 2 || index >= length - 2);
}

function shape(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly hasEOL: boolean;
}

function isTextItem(item: unknown): item is TextItem {
  return typeof item === 'object' && item !== null && 'str' in item && 'transform' in item;
}
