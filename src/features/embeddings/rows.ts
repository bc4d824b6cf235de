import type { OnnxThread, Row } from '../models/feature.ts';
import type { Embedder } from './in-process.ts';

/** A sentence encoder in ONNX form, whoever opened it. */
export interface RowEncoder extends Pick<OnnxThread, 'tokenize' | 'run' | 'close'> {
  readonly dimensions: number;
  readonly tokensMax: number;
}

const nothing: Row = { ids: [], types: [] };

/** Texts stand behind what the model's own settings put before them. An empty one is not read. */
export function toRowEmbedder(model: RowEncoder, prompt: string): Embedder<Row> {
  const isRead = ({ ids }: Row) => ids.length > 0;
  return {
    textTokensMax: model.tokensMax,
    async tokenize(texts, signal, account) {
      const said = texts.filter((text) => text !== '').map((text) => ({ text: prompt + text, pair: null }));
      const rows = (await model.tokenize(said, signal, account)).values();
      return texts.map((text) => (text === '' ? nothing : (rows.next().value ?? nothing)));
    },
    countOf: ({ ids }) => ids.length,
    async embed(rows, signal, account) {
      const vectors = (await model.run(rows.filter(isRead), signal, account)).values();
      const empty = new Float32Array(model.dimensions);
      return rows.map((row) => (isRead(row) ? (vectors.next().value ?? empty) : empty));
    },
    close: () => model.close(),
  };
}
