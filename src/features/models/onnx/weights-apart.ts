/** A graph without its weights, each of which says where in the file it is. */
export interface GraphApart {
  readonly graph: Uint8Array;
  /** By which name the graph calls the file. */
  readonly file: string;
}

/** Fields of ONNX's protocol buffers, and what is written of them. */
const model = { graph: 7 } as const;
const graph = { initializer: 5 } as const;
const tensor = { rawData: 9, externalData: 13, dataLocation: 14 } as const;
const external = 1;
/** Smaller ones stay: they may be shapes, which are read while the graph is looked at. Unit: bytes. */
const weightBytesMin = 1_024;
const file = 'nestor:weights';

/**
 * Takes the weights out of a graph, so that the runtime puts each where it is used: with them it holds the file, what it
 * read of it and its own copy at once, and WebAssembly never gives memory back. Null for what is no graph.
 */
export function takeWeightsApart(bytes: Uint8Array): GraphApart | null {
  try {
    return { graph: Buffer.concat(modelApart(bytes)), file };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type Parts = readonly Uint8Array[];

function modelApart(bytes: Uint8Array): Parts {
  return replace(bytes, 0, bytes.length, model.graph, (from, to) =>
    replace(bytes, from, to, graph.initializer, (start, end) => tensorApart(bytes, start, end)),
  );
}

function tensorApart(bytes: Uint8Array, from: number, to: number): Parts {
  const fields = [...fieldsOf(bytes, from, to)];
  const raw = fields.find(({ number }) => number === tensor.rawData);
  if (raw === undefined || raw.to - raw.from < weightBytesMin) return [bytes.subarray(from, to)];
  const place = { location: file, offset: String(raw.from), length: String(raw.to - raw.from) };
  return [
    bytes.subarray(from, raw.at),
    bytes.subarray(raw.to, to),
    ...Object.entries(place).flatMap(([key, value]) =>
      message(tensor.externalData, [...message(1, [Buffer.from(key)]), ...message(2, [Buffer.from(value)])]),
    ),
    Uint8Array.of(tensor.dataLocation << 3, external),
  ];
}

/** A message in which those of one field are replaced. */
function replace(
  bytes: Uint8Array,
  from: number,
  to: number,
  number: number,
  toParts: (from: number, to: number) => Parts,
): Parts {
  return [...fieldsOf(bytes, from, to)].flatMap((field) =>
    field.number === number && field.isMessage
      ? message(number, toParts(field.from, field.to))
      : [bytes.subarray(field.at, field.to)],
  );
}

function message(number: number, parts: Parts): Parts {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return [varint(number * 8 + 2), varint(size), ...parts];
}

interface Field {
  readonly number: number;
  /** A message, a text or bytes. */
  readonly isMessage: boolean;
  readonly at: number;
  /** Its content. */
  readonly from: number;
  readonly to: number;
}

/** Throws RangeError where there are none. */
function* fieldsOf(bytes: Uint8Array, from: number, to: number): Generator<Field> {
  for (let at = from; at < to;) {
    const [tag, afterTag] = readVarint(bytes, at);
    const isMessage = tag % 8 === 2;
    const [size, start] = isMessage
      ? readVarint(bytes, afterTag)
      : [sizeOf(bytes, tag % 8, afterTag), afterTag];
    const end = start + size;
    if (end > to) throw new RangeError('a field ends behind its message');
    yield { number: Math.floor(tag / 8), isMessage, at, from: start, to: end };
    at = end;
  }
}

function sizeOf(bytes: Uint8Array, kind: number, at: number): number {
  if (kind === 0) return readVarint(bytes, at)[1] - at;
  if (kind === 1) return 8;
  if (kind === 5) return 4;
  throw new RangeError(`a field of the kind ${kind}`);
}

/** With where it ends. Numbers beyond 2^53 are only passed over. */
function readVarint(bytes: Uint8Array, from: number): readonly [number, number] {
  let value = 0;
  for (let at = from; at < from + 10; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += (byte % 128) * 2 ** (7 * (at - from));
    if (byte < 128) return [value, at + 1];
  }
  throw new RangeError('a number does not end');
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.of(...bytes, rest);
}
