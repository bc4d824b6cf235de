import { findModelFile, GgufProblem, type GgufHeader } from './gguf.ts';

/** Throws GgufProblem where the file holds another kind of model than one that writes. */
export function checkChatHeader({ architecture, metadata }: GgufHeader): void {
  if (architecture === 'clip') throw new GgufProblem('the file is a vision projector and no chat model');
  const pooling = metadata.get(`${architecture}.pooling_type`);
  const bidirectional = metadata.get(`${architecture}.attention.causal`) === false;
  if (bidirectional || (typeof pooling === 'number' && pooling > 0)) {
    throw new GgufProblem('the file is an embedding or ranking model and no chat model');
  }
  if (!metadata.has('tokenizer.ggml.tokens.length')) throw new GgufProblem('the file holds no tokenizer');
}

/**
 * The first chat model by name in a folder or its folder `models`. Without one it is the first file that cannot be opened
 * at all, so that an operator reads why; null where there is none either.
 */
export async function findChatFile(folder: string): Promise<string | null> {
  const { found, unusable } = await findModelFile(folder, checkChatHeader);
  return found ?? unusable;
}
