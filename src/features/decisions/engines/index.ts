import type { EngineDeclaration } from '../engine.ts';
import { encoder } from './encoder/engine.ts';
import { local } from './local/engine.ts';
import { logprobs } from './logprobs/engine.ts';
import { onnx } from './onnx/engine.ts';
import { systemone } from './systemone/engine.ts';
import { words } from './words/engine.ts';

/** Every decision engine. `auto` takes the last one that suits. */
export const decisionEngines: readonly EngineDeclaration[] = [
  words,
  encoder,
  local,
  onnx,
  systemone,
  logprobs,
];
