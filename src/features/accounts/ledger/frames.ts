import { crc32 } from 'node:zlib';

/**
 * How texts lie in a segment: `CCCCCCCC LLLLLLLL TEXT\n`, the CRC-32 and the length of the text in bytes as eight
 * hexadecimal digits each. Texts are JSON, so none has a line feed in it, and after damage the next frame is found
 * behind the next line feed. Room that was never written is zeros.
 */
interface Frames {
  readonly texts: readonly string[];
  /** What is neither a frame nor room: damaged, or written by somebody else. */
  readonly bad: readonly Buffer[];
  /** Bytes up to which everything was taken; what is behind is the beginning of a frame. */
  readonly end: number;
}

/** The largest row, with its frame. Usual ones take 450 bytes. */
export const rowBytesMax = 4_096;

const headBytes = 18;
const lineFeed = 0x0a;
const headPattern = /^([0-9a-f]{8}) ([0-9a-f]{8}) $/;

/** Writes a frame into `target`, which has to be large enough, and returns where it ends. */
export function writeFrame(target: Buffer, text: string, at = 0): number {
  const from = at + headBytes;
  const bytes = target.write(text, from);
  const sum = crc32(target.subarray(from, from + bytes));
  target.write(`${hex(sum)} ${hex(bytes)} `, at, 'latin1');
  target[from + bytes] = lineFeed;
  return from + bytes + 1;
}

/** Bytes that the frame of a text takes at most: a unit of UTF-16 is three bytes or fewer. */
export function frameBytesMax(text: string): number {
  return headBytes + text.length * 3 + 1;
}

/** Bytes that the frame of a text takes. */
export function frameBytes(text: string): number {
  return headBytes + Buffer.byteLength(text) + 1;
}

/**
 * Reads every frame. The beginning of a frame at the end was being written when its process died, or still is: it is
 * left, because its request was not answered.
 */
export function readFrames(bytes: Buffer): Frames {
  const texts: string[] = [];
  const bad: Buffer[] = [];
  let at = 0;
  for (;;) {
    const start = skipZeros(bytes, at);
    if (start === bytes.length) return { texts, bad, end: start };
    const frame = frameAt(bytes, start);
    if (frame !== null) {
      texts.push(frame.text);
      at = frame.end;
      continue;
    }
    const next = nextFrame(bytes, start);
    if (next === null) return { texts, bad, end: start };
    bad.push(bytes.subarray(start, next));
    at = next;
  }
}

function frameAt(bytes: Buffer, at: number): { readonly text: string; readonly end: number } | null {
  const head = headPattern.exec(bytes.toString('latin1', at, at + headBytes));
  if (head === null) return null;
  const from = at + headBytes;
  const to = from + Number.parseInt(head[2] ?? '', 16);
  if (bytes[to] !== lineFeed) return null;
  const text = bytes.subarray(from, to);
  return crc32(text) === Number.parseInt(head[1] ?? '', 16)
    ? { text: text.toString('utf8'), end: to + 1 }
    : null;
}

/** Behind the first line feed from here that a frame, room or the end follows; null where there is no line feed. */
function nextFrame(bytes: Buffer, from: number): number | null {
  let last: number | null = null;
  for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    last = at + 1;
    if (last === bytes.length || bytes[last] === 0 || frameAt(bytes, last) !== null) return last;
  }
  return last;
}

/** Without the room at the end. */
export function trimRoom(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) {
    const from = Math.max(0, end - zeros.length);
    // By blocks: most of a segment is room.
    end = bytes.subarray(from, end).equals(zeros.subarray(0, end - from)) ? from : end - 1;
  }
  return bytes.subarray(0, end);
}

const zeros = Buffer.alloc(4_096);

function skipZeros(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] === 0) at++;
  return at;
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}
