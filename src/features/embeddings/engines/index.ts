import type { EmbeddingEngineDeclaration } from '../define-engine.ts';
import { words } from './words/engine.ts';
import { encoder } from './encoder/engine.ts';
import { local } from './local/engine.ts';
import { onnx } from './onnx/engine.ts';
import { openAiCompatible } from './openai-compatible/engine.ts';

/** Every embedding engine. `auto` takes the last one that suits. */
export const embeddingEngines: readonly EmbeddingEngineDeclaration[] = [
  words,
  encoder,
  local,
  onnx,
  openAiCompatible,
];
