import { fstatSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../../kernel/kit/json.ts';
import { OnnxProblem } from './problem.ts';

/** Numbers of each token of a text, one after the other. */
export type Embed = (ids: readonly number[]) => Float32Array;

/** Numbers of a token. */
export const embeddingSize = 384;
const epsilon = 1e-12;

/**
 * The embeddings of an encoder out of its own graph, so that no second copy of the largest table is needed, on the disk or
 * in memory: a row of it takes 2 µs to read. A file beside its reader says where in the graph they are. The graph stays
 * open until the thread ends. Throws OnnxProblem.
 */
export async function openEmbeddings(graph: string, reader: string): Promise<Embed> {
  const places: Json = JSON.parse(await readFile(join(reader, 'embeddings.json'), 'utf8'));
  const file = openSync(graph, 'r');
  const { size } = fstatSync(file);

  function placeOf(name: string): { readonly at: number; readonly bytes: number } {
    const place = (isJsonObject(places) ? places[name] : null) ?? null;
    const { at, bytes } = isJsonObject(place) ? place : {};
    if (typeof at !== 'number' || typeof bytes !== 'number')
      throw new OnnxProblem(`embeddings.json does not say where ${name} is`);
    if (at + bytes > size) throw new OnnxProblem(`${name} is not where embeddings.json says`);
    return { at, bytes };
  }

  function read(name: string): ArrayBuffer {
    const { at, bytes } = placeOf(name);
    const part = new Uint8Array(bytes);
    readSync(file, part, 0, bytes, at);
    return part.buffer;
  }

  const numbers = (name: string) => new Float32Array(read(name));
  const words = placeOf('word_embeddings.bytes');
  const wordScales = numbers('word_embeddings.scales');
  const positions = new Int8Array(read('position_embeddings.bytes'));
  const positionScales = numbers('position_embeddings.scales');
  const type = numbers('first_type');
  const weight = numbers('embeddings.LayerNorm.weight');
  const bias = numbers('embeddings.LayerNorm.bias');
  const word = new Int8Array(embeddingSize);

  function embedToken(id: number, position: number, into: Float32Array): void {
    const [scale = 0, shift = 0] = [wordScales[id], positionScales[position]];
    readSync(file, word, 0, embeddingSize, words.at + id * embeddingSize);
    const beside = position * embeddingSize;
    let sum = 0;
    for (let i = 0; i < embeddingSize; i++) {
      const value = (word[i] ?? 0) * scale + (positions[beside + i] ?? 0) * shift + (type[i] ?? 0);
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
