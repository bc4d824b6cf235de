import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { ResponseError } from '../../../../kernel/kit/upstreams.ts';
import { fit, type EmbeddingSize } from '../../embedding.ts';

/** Vectors in the order of the texts. Throws ResponseError. */
export function fromResponse(body: Json, count: number, size: EmbeddingSize): readonly Float32Array[] {
  const data = isJsonObject(body) ? body['data'] : undefined;
  if (!Array.isArray(data) || data.length !== count)
    throw new ResponseError(`no list of ${count} embeddings`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [place, item] of (data as readonly Json[]).entries()) {
    if (!isJsonObject(item)) throw new ResponseError('an embedding is no object');
    const index = typeof item['index'] === 'number' ? item['index'] : place;
    vectors[index] = toVector(item['embedding'], size);
  }
  return vectors.map((vector) => {
    if (vector === undefined) throw new ResponseError('an embedding is missing');
    return vector;
  });
}

function toVector(values: Json | undefined, size: EmbeddingSize): Float32Array {
  if (!Array.isArray(values) || values.length === 0) throw new ResponseError('an embedding is no list');
  const vector = new Float32Array(values.length);
  for (const [index, value] of (values as readonly Json[]).entries()) {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new ResponseError('a value is no number');
    vector[index] = value;
  }
  return fit(vector, size);
}
