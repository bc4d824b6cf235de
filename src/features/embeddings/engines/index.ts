import type { EmbeddingEngineDeclaration } from '../define-engine.ts';
import { baseline } from './baseline/engine.ts';
import { local } from './local/engine.ts';
import { onnx } from './onnx/engine.ts';
import { openAiCompatible } from './openai-compatible/engine.ts';

/** Every embedding engine. `auto` takes the last one that suits. */
export const embeddingEngines: readonly EmbeddingEngineDeclaration[] = [
  baseline,
  local,
  onnx,
  openAiCompatible,
];
