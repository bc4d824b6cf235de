import { statSync } from 'node:fs';
import { defineEngine } from '../../engine.ts';

/** A sentence encoder, an NLI classifier or a reranker in ONNX form in this process. */
export const onnx = defineEngine({
  name: 'onnx',
  suits: ({ path, isNamed }) =>
    isNamed &&
    path !== null &&
    (path.endsWith('.onnx') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true),
  async find(dataFolder) {
    const { findModelFolder } = await import('../../../models/feature.ts');
    return findModelFolder(dataFolder);
  },
  async open({ path, threads = null }) {
    if (path === null)
      throw new Error(
        'decisions.path: no model in ONNX form is named, and none lies in the data folder or its models folder',
      );
    const { startOnnxEngine } = await import('./index.ts');
    return startOnnxEngine({ path, threads });
  },
});
