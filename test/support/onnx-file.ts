/** Writes ONNX files: the few fields of the format that small graphs need. */

/** A weight of a graph. */
export interface OnnxWeight {
  readonly name: string;
  readonly dims: readonly number[];
  readonly values: Float32Array | BigInt64Array;
}

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

/** Dimensions are numbers, or names where they differ from run to run. */
export interface OnnxValue {
  readonly name: string;
  readonly type: 'float' | 'int64' | 'bool';
  readonly dims: readonly (number | string)[];
}

export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly weights: readonly OnnxWeight[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

/** A file of weights beside a graph. */
export interface OutsideWeights {
  readonly name: string;
  readonly parts: Buffer[];
}

const opset = 17;
const types = { float: 1, int64: 7, bool: 9 } as const;
const attributeTypes = { int: 2, ints: 7 } as const;

/** The bytes of a model with this graph. Its weights lie in `outside`, one after the other, where that is handed over. */
export function toOnnx({ nodes, weights, inputs, outputs }: OnnxGraph, outside?: OutsideWeights): Buffer {
  const graph = [
    ...nodes.map((node, index) => field(1, toNode(node, index))),
    field(2, 'test'),
    ...weights.map((weight) => field(5, toTensor(weight, outside))),
    ...inputs.map((value) => field(11, toValue(value))),
    ...outputs.map((value) => field(12, toValue(value))),
  ];
  return Buffer.concat([
    field(1, 8),
    field(7, Buffer.concat(graph)),
    field(8, Buffer.concat([field(1, ''), field(2, opset)])),
  ]);
}

function toNode({ op, inputs, output, attributes = {} }: OnnxNode, index: number): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => field(1, name)),
    field(2, output),
    field(3, `${op}${index}`),
    field(4, op),
    ...Object.entries(attributes).map(([name, value]) => field(5, toAttribute(name, value))),
  ]);
}

function toAttribute(name: string, value: number | readonly number[]): Buffer {
  if (typeof value === 'number')
    return Buffer.concat([field(1, name), field(3, value), field(20, attributeTypes.int)]);
  return Buffer.concat([
    field(1, name),
    ...value.map((one) => field(8, one)),
    field(20, attributeTypes.ints),
  ]);
}

function toTensor({ name, dims, values }: OnnxWeight, outside?: OutsideWeights): Buffer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return Buffer.concat([
    ...dims.map((dim) => field(1, dim)),
    field(2, values instanceof Float32Array ? types.float : types.int64),
    field(8, name),
    // Shapes are needed when a graph is opened, so they stay in it.
    outside === undefined || !(values instanceof Float32Array)
      ? field(9, bytes)
      : toReference(bytes, outside),
  ]);
}

function toReference(bytes: Buffer, { name, parts }: OutsideWeights): Buffer {
  const offset = parts.reduce((sum, part) => sum + part.length, 0);
  parts.push(bytes);
  const entries = { location: name, offset: String(offset), length: String(bytes.length) };
  return Buffer.concat([
    ...Object.entries(entries).map(([key, value]) =>
      field(13, Buffer.concat([field(1, key), field(2, value)])),
    ),
    field(14, 1),
  ]);
}

function toValue({ name, type, dims }: OnnxValue): Buffer {
  const shape = dims.map((dim) => field(1, typeof dim === 'number' ? field(1, dim) : field(2, dim)));
  const tensor = Buffer.concat([field(1, types[type]), field(2, Buffer.concat(shape))]);
  return Buffer.concat([field(1, name), field(2, field(1, tensor))]);
}

/** A field of a protocol buffer: a number as a varint, anything else with its length. */
function field(number: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
