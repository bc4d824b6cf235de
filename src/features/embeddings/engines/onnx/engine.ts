import { statSync } from 'node:fs';
import { defineEmbeddingEngine } from '../../define-engine.ts';

/** A sentence encoder in ONNX form in this process. */
export const onnx = defineEmbeddingEngine({
  name: 'onnx',
  suits: ({ path }) =>
    path !== null &&
    (path.endsWith('.onnx') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true),
  async open({ path, dataFolder, threads = null }) {
    const { startOnnxEngine } = await import('./index.ts');
    return startOnnxEngine({ path, dataFolder, threads });
  },
});
