import { countAll } from '../../kernel/kit/count-tokens.ts';
import { countTokens } from '../../kernel/kit/words.ts';
import type { ModelRequest, UserPart } from './model.ts';

/** Average size of an image. Unit: tokens. */
const imageTokens = 1_000;
/** Base64 characters of a document per token: a page of a PDF is some 40 KB and some 700 tokens. */
const documentCharsPerToken = 80;
/** Size of the frame of each turn. Unit: tokens. */
const turnTokens = 4;

/** Counts by words, for backends whose tokenizer is elsewhere. */
export function estimateRequestTokens(request: ModelRequest): number {
  const { texts, beside } = readRequest(request);
  return texts.reduce((sum, text) => sum + countTokens(text), beside);
}

/** The same in slices, so that other requests are served meanwhile. Rejects with the signal's reason. */
export async function countRequestTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
  const { texts, beside } = readRequest(request);
  return (await countAll(texts, signal)) + beside;
}

/** The texts, and the estimated size of everything else. Unit: tokens. */
function readRequest({ system, turns, tools, format }: ModelRequest) {
  const texts = [...system];
  let beside = (system.length + turns.length) * turnTokens;
  const addParts = (parts: readonly UserPart[]) => {
    for (const part of parts) {
      if (part.type === 'text') texts.push(part.text);
      else
        beside += part.type === 'image' ? imageTokens : Math.ceil(part.base64.length / documentCharsPerToken);
    }
  };
  for (const turn of turns) {
    if (turn.role === 'user') addParts(turn.parts);
    else if (turn.role === 'tool') for (const { parts } of turn.results) addParts(parts);
    else
      for (const part of turn.parts) {
        if (part.type === 'tool-call') texts.push(part.name + part.arguments);
        else if (part.type !== 'reasoning-details' && part.text !== null) texts.push(part.text);
      }
  }
  for (const { name, description, parameters } of tools)
    texts.push(name, description ?? '', JSON.stringify(parameters));
  if (format.type === 'json-schema') texts.push(JSON.stringify(format.schema));
  return { texts, beside };
}
