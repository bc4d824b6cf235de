export type EmbeddingEncoding = 'base64_int8' | 'base64_binary';

/**
 * A vector as it is sent: cut to its first dimensions, then encoded, as standard base64 with padding. `base64_int8`
 * is one signed byte per dimension, scaled so that the largest has 127, halves rounded away from zero; the zero vector
 * is zero bytes. `base64_binary` is one bit per dimension, set for values above zero, most significant bit first.
 * Normalising first would change neither, so it is left out.
 */
export function encode(vector: Float32Array, dimensions: number, encoding: EmbeddingEncoding): string {
  const values = vector.subarray(0, dimensions);
  const bytes = encoding === 'base64_int8' ? toInt8(values) : toBits(values);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function toInt8(values: Float32Array): Int8Array {
  let largest = 0;
  // By index: iterating over a typed array costs three times as much.
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i] ?? 0));
  const bytes = new Int8Array(values.length);
  if (largest === 0) return bytes;
  for (let i = 0; i < values.length; i++) {
    const scaled = ((values[i] ?? 0) * 127) / largest;
    bytes[i] = scaled < 0 ? -Math.floor(0.5 - scaled) : Math.floor(scaled + 0.5);
  }
  return bytes;
}

function toBits(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length / 8);
  for (let i = 0; i < values.length; i++) {
    if ((values[i] ?? 0) > 0) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (0x80 >> (i & 7));
  }
  return bytes;
}

/** The first dimensions of a vector, at length 1. */
export function toUnit(vector: Float32Array, dimensions: number): Float32Array {
  const values = vector.slice(0, dimensions);
  const length = Math.hypot(...values);
  return length === 0 ? values : values.map((value) => value / length);
}
