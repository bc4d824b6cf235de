import { GgufProblem } from './gguf-cursor.ts';
import { RuntimeProblem } from './runtime.ts';

/** Why a model cannot be used, in one line for an operator. */
export class LocalModelProblem extends Error {
  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path}: ${reason}`, { cause });
    this.name = 'LocalModelProblem';
  }
}

/** `complaint`: what the native side said last. */
export function reasonOf(error: unknown, complaint: string | undefined): string {
  if (error instanceof GgufProblem || error instanceof RuntimeProblem) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return complaint === undefined || complaint === '' ? line : `${line} (${complaint})`;
}
