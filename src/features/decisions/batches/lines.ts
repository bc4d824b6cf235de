import { Fault } from '../../../kernel/faults.ts';
import { linesPerPieceMax, type Piece } from '../store/batches.ts';

/** A line of this many bytes is refused. */
export const lineBytesMax = 4_194_304;
export const rowsMax = 1_000_000;
const pieceBytesMax = 262_144;
const newline = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Cuts an upload into lines, wherever it is split. Throws Fault for a line that is too long. */
export class LineCutter {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #line = 0;

  /** Number of the last line that was returned. */
  get line(): number {
    return this.#line;
  }

  *push(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      yield this.#take(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  *end(): Generator<Buffer> {
    if (this.#restBytes > 0) yield this.#take(Buffer.alloc(0));
  }

  #take(end: Buffer): Buffer {
    this.#keep(end);
    const whole = this.#rest.length === 1 ? (this.#rest[0] ?? end) : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    const isMarked = this.#line++ === 0 && whole.subarray(0, 3).equals(byteOrderMark);
    return isMarked ? whole.subarray(3) : whole;
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0 && this.#rest.length > 0) return;
    this.#restBytes += bytes.length;
    if (this.#restBytes >= lineBytesMax)
      throw new Fault('body_too_large', `line ${this.#line + 1} has ${lineBytesMax} bytes or more`);
    this.#rest.push(bytes);
  }
}

/** Throws the Fault of a line that is no row. */
export type CheckLine = (line: Buffer, number: number) => void;

/** A piece with the number of its rows. */
export interface CutPiece extends Piece {
  readonly rows: number;
}

/**
 * Checks every line and gathers them into pieces. Blank lines are no rows and keep their numbers. Throws the Fault of the
 * first line that `check` refuses, with its number before the message.
 */
export async function* piecesOf(content: AsyncIterable<Buffer>, check: CheckLine): AsyncGenerator<CutPiece> {
  const cutter = new LineCutter();
  let rows = 0;
  let texts: string[] = [];
  let [firstLine, ownRows, bytes] = [1, 0, 0];
  const take = (): CutPiece => {
    const piece = { firstLine, lines: texts.length, rows: ownRows, content: texts.join('\n') };
    firstLine += texts.length;
    texts = [];
    [ownRows, bytes] = [0, 0];
    return piece;
  };
  const add = (line: Buffer): CutPiece | null => {
    const text = line.toString('utf8').trim();
    if (text !== '') {
      if (++rows > rowsMax) throw new Fault('body_too_large', `A batch has at most ${rowsMax} rows`);
      checkLine(line, cutter.line, check);
      ownRows++;
    }
    texts.push(text);
    bytes += line.length;
    return texts.length === linesPerPieceMax || bytes >= pieceBytesMax ? take() : null;
  };
  const whole = (piece: CutPiece | null): piece is CutPiece => piece !== null && piece.rows > 0;
  for await (const chunk of content) {
    for (const line of cutter.push(chunk)) {
      const piece = add(line);
      if (whole(piece)) yield piece;
    }
  }
  for (const line of cutter.end()) {
    const piece = add(line);
    if (whole(piece)) yield piece;
  }
  const last = take();
  if (whole(last)) yield last;
}

function checkLine(line: Buffer, number: number, check: CheckLine): void {
  try {
    check(line, number);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const param = error.param === null || error.param === '' ? `${number}` : `${number}.${error.param}`;
    throw new Fault(error.code, `line ${number}: ${error.message}`, { param });
  }
}
