import { decisionOf, type DecisionFile } from './decision-file.ts';
import { findModelFile, GgufProblem, type GgufHeader } from './gguf.ts';

/** Throws GgufProblem where the file holds another kind of model than one that predicts the next token. */
export function checkCausalHeader(header: GgufHeader): DecisionFile | null {
  const { architecture, metadata } = header;
  if (architecture === 'clip') throw new GgufProblem('the file is a vision projector and no chat model');
  const pooling = metadata.get(`${architecture}.pooling_type`);
  const bidirectional = metadata.get(`${architecture}.attention.causal`) === false;
  if (bidirectional || (typeof pooling === 'number' && pooling > 0)) {
    throw new GgufProblem('the file is an embedding or ranking model and no chat model');
  }
  if (!metadata.has('tokenizer.ggml.tokens.length')) throw new GgufProblem('the file holds no tokenizer');
  return decisionOf(header);
}

/** Throws GgufProblem where the file holds another kind of model than one that writes. */
export function checkChatHeader(header: GgufHeader): void {
  if (checkCausalHeader(header) !== null) throw new GgufProblem(decidesOnly);
}

/** Why a decision model is offered to nobody who wants an answer in words. */
export const decidesOnly =
  'the file is a decision model, which answers decisions alone; decisions.path is where it belongs';

/**
 * The first chat model by name in a folder or its folder `models`. Without one it is the first file that cannot be opened
 * at all, so that an operator reads why; null where there is none either.
 */
export async function findChatFile(folder: string): Promise<string | null> {
  const { found, unusable } = await findModelFile(folder, checkChatHeader);
  return found ?? unusable;
}

/** The first decision model by name in a folder or its folder `models`; without one, what `findChatFile` finds. */
export async function findDecidingFile(folder: string): Promise<string | null> {
  const { found } = await findModelFile(folder, (header) => {
    if (checkCausalHeader(header) === null) throw new GgufProblem('the file is no decision model');
  });
  return found ?? findChatFile(folder);
}
