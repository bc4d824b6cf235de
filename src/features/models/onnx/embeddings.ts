import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../../kernel/kit/json.ts';
import { OnnxProblem } from './problem.ts';

/** Numbers of each token of a text, one after the other. */
export type Embed = (ids: readonly number[]) => Float32Array;

/** Numbers of a token. */
export const embeddingSize = 384;
const epsilon = 1e-12;

/**
 * The embeddings of an encoder out of its own graph, so that no second copy of the largest table is needed; a file beside
 * its reader says where in the graph they are. Throws OnnxProblem.
 */
export async function openEmbeddings(graph: string, reader: string): Promise<Embed> {
  const places: Json = JSON.parse(await readFile(join(reader, 'embeddings.json'), 'utf8'));
  await using file = await open(graph);

  async function read(name: string): Promise<ArrayBuffer> {
    const place = (isJsonObject(places) ? places[name] : null) ?? null;
    const { at, bytes } = isJsonObject(place) ? place : {};
    if (typeof at !== 'number' || typeof bytes !== 'number')
      throw new OnnxProblem(`embeddings.json does not say where ${name} is`);
    const part = new Uint8Array(bytes);
    const { bytesRead } = await file.read(part, 0, bytes, at);
    if (bytesRead < bytes) throw new OnnxProblem(`${name} is not where embeddings.json says`);
    return part.buffer;
  }

  const numbers = async (name: string) => new Float32Array(await read(name));
  const table = async (name: string) => ({
    rows: new Int8Array(await read(`${name}.bytes`)),
    scales: await numbers(`${name}.scales`),
  });
  const words = await table('word_embeddings');
  const positions = await table('position_embeddings');
  const type = await numbers('first_type');
  const weight = await numbers('embeddings.LayerNorm.weight');
  const bias = await numbers('embeddings.LayerNorm.bias');

  function embedToken(id: number, position: number, into: Float32Array): void {
    const [scale = 0, shift = 0] = [words.scales[id], positions.scales[position]];
    const [from, beside] = [id * embeddingSize, position * embeddingSize];
    let sum = 0;
    for (let i = 0; i < embeddingSize; i++) {
      const value =
        (words.rows[from + i] ?? 0) * scale + (positions.rows[beside + i] ?? 0) * shift + (type[i] ?? 0);
      into[i] = value;
      sum += value;
    }
    const mean = sum / embeddingSize;
    const variance = into.reduce((total, value) => total + (value - mean) ** 2, 0) / embeddingSize;
    const factor = 1 / Math.sqrt(variance + epsilon);
    for (let i = 0; i < embeddingSize; i++)
      into[i] = ((into[i] ?? 0) - mean) * factor * (weight[i] ?? 0) + (bias[i] ?? 0);
  }

  return (ids) => {
    const made = new Float32Array(ids.length * embeddingSize);
    for (const [position, id] of ids.entries())
      embedToken(id, position, made.subarray(position * embeddingSize, (position + 1) * embeddingSize));
    return made;
  };
}
