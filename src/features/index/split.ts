/** A piece of a text that can be read and quoted alone. */
export interface Piece {
  /** Headings above it, the outermost first, parted by " > ". */
  readonly heading: string;
  readonly text: string;
  /** Where it begins. Unit: UTF-16 units. */
  readonly startAt: number;
}

/** A passage ends at the first paragraph beyond `tokensWanted`; one that is longer than `tokensMax` is cut. */
const tokensWanted = 220;
const tokensMax = 320;
/** A heading begins a passage only when the one before has something to say. */
const tokensMin = 40;

/** Splits a text with the structure of Markdown at its headings and paragraphs. Code blocks stay whole where they fit. */
export function splitPassages(text: string, piecesMax: number): Piece[] {
  const pieces: Piece[] = [];
  const headings: string[] = [];
  let startAt = 0;
  let tokens = 0;
  let heading = '';
  const close = (endAt: number): void => {
    const piece = text.slice(startAt, endAt);
    const trimmed = piece.trim();
    if (trimmed !== '' && pieces.length < piecesMax)
      pieces.push({ heading, text: trimmed, startAt: startAt + piece.indexOf(trimmed) });
    startAt = endAt;
    tokens = 0;
  };
  for (const block of blocksOf(text)) {
    const title = headingOf(text.slice(block.startAt, Math.min(block.endAt, block.startAt + 400)));
    const size = tokensOf(text, block.startAt, block.endAt);
    if (title !== null ? tokens >= tokensMin : tokens > 0 && tokens + size > tokensMax) close(block.startAt);
    if (title !== null) {
      headings.length = Math.min(headings.length, title.level - 1);
      headings.push(title.text);
    }
    if (tokens === 0 || title !== null) heading = headings.join(' > ').slice(0, 300);
    tokens += size;
    if (tokens > tokensMax) {
      for (const cutAt of cutsOf(text, startAt, block.endAt)) close(cutAt);
      tokens = tokensOf(text, startAt, block.endAt);
    } else if (tokens >= tokensWanted) close(block.endAt);
    if (pieces.length >= piecesMax) break;
  }
  close(text.length);
  return pieces;
}

/** All headings of a text, for the index of titles. */
export function headingsOf(text: string): string {
  const found: string[] = [];
  for (const match of text.matchAll(/^#{1,6} (?<text>.{1,300})$/gm)) {
    found.push(match.groups?.['text'] ?? '');
    if (found.length >= 200) break;
  }
  return found.join('\n');
}

interface Block {
  readonly startAt: number;
  readonly endAt: number;
}

/** Runs of lines between empty ones; a heading is a block of its own, and a fence is one however many lines it has. */
function* blocksOf(text: string): Generator<Block> {
  let startAt = 0;
  let fence: string | null = null;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const endAt = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, Math.min(endAt, at + 200));
    const mark = /^\s{0,3}(?<mark>```|~~~)/.exec(line)?.groups?.['mark'] ?? null;
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    else if (fence === null && headingOf(line) !== null) {
      if (at > startAt) yield { startAt, endAt: at };
      yield { startAt: at, endAt };
      startAt = endAt;
    } else if (fence === null && line.trim() === '' && endAt > startAt) {
      yield { startAt, endAt };
      startAt = endAt;
    }
    at = endAt;
  }
  if (startAt < text.length) yield { startAt, endAt: text.length };
}

function headingOf(line: string): { readonly level: number; readonly text: string } | null {
  const groups = /^(?<marks>#{1,6}) (?<text>\S[^\n]*)/.exec(line)?.groups;
  if (groups === undefined) return null;
  const text = (groups['text'] ?? '')
    .replaceAll(/[`*_#]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
  return { level: groups['marks']?.length ?? 1, text };
}

/** Places at which a stretch that is too long is cut: at lines, sentences or words, at worst anywhere. */
function* cutsOf(text: string, startAt: number, endAt: number): Generator<number> {
  let from = startAt;
  for (;;) {
    const latest = placeOf(text, from, endAt, tokensMax);
    if (latest >= endAt) return;
    const earliest = from + Math.floor((latest - from) / 2);
    const cut = ['\n', '. ', '。', ' '].reduce((best, mark) => {
      if (best > 0) return best;
      // In what is cut only: in a text without a mark it would be looked for from here to its beginning.
      const at = text.slice(earliest, latest - 1 + mark.length).lastIndexOf(mark);
      return at >= 0 ? earliest + at + mark.length : 0;
    }, 0);
    // Never between the halves of a sign.
    const whole = /[\udc00-\udfff]/.test(text.charAt(latest)) ? latest - 1 : latest;
    from = cut > 0 ? cut : Math.max(from + 1, whole);
    yield from;
  }
}

function placeOf(text: string, from: number, endAt: number, tokens: number): number {
  let left = tokens;
  for (let at = from; at < endAt; at++) {
    left -= text.charCodeAt(at) < 0x0900 ? 0.25 : 1;
    if (left <= 0) return at + 1;
  }
  return endAt;
}

/** About four letters, or one sign of a script without letters. */
export function tokensOf(text: string, from: number, to: number): number {
  let tokens = 0;
  for (let at = from; at < to; at++) tokens += text.charCodeAt(at) < 0x0900 ? 0.25 : 1;
  return tokens;
}
