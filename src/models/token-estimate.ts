import { countTokens } from '../kit/words.ts';
import type { ModelRequest, Turn, UserPart } from './model.ts';

/** What an image costs most models, give or take. Unit: tokens. */
const imageTokens = 1_000;
/** Base64 characters of a document per token: a page of a PDF is some 40 KB and some 700 tokens. */
const documentCharsPerToken = 80;
/** Around each turn: its role and its ends. Unit: tokens. */
const turnTokens = 4;

/** Counts by words, for backends whose tokenizer is elsewhere. */
export function estimateRequestTokens({ system, turns, tools, format }: ModelRequest): number {
  let sum = 0;
  for (const text of system) sum += countTokens(text) + turnTokens;
  for (const turn of turns) sum += turnTokensOf(turn) + turnTokens;
  for (const { name, description, parameters } of tools) {
    sum += countTokens(name) + countTokens(description ?? '') + countTokens(JSON.stringify(parameters));
  }
  if (format.type === 'json-schema') sum += countTokens(JSON.stringify(format.schema));
  return sum;
}

export function estimateTextTokens(text: string): number {
  return countTokens(text);
}

function turnTokensOf(turn: Turn): number {
  switch (turn.role) {
    case 'user':
      return partsTokens(turn.parts);
    case 'assistant':
      return turn.parts.reduce(
        (sum, part) => sum + countTokens(part.type === 'text' ? part.text : part.name + part.arguments),
        0,
      );
    case 'tool':
      return turn.results.reduce((sum, { parts }) => sum + partsTokens(parts), 0);
  }
}

function partsTokens(parts: readonly UserPart[]): number {
  return parts.reduce((sum, part) => {
    if (part.type === 'text') return sum + countTokens(part.text);
    return (
      sum + (part.type === 'image' ? imageTokens : Math.ceil(part.base64.length / documentCharsPerToken))
    );
  }, 0);
}
