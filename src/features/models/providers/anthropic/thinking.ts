import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';

/**
 * A model that thinks before it calls a tool wants its thoughts back with the result, signed and unchanged. They travel
 * as the `signature` of the call that they stood before. Other models sign otherwise: what is not ours gives nothing.
 */
export function parseThinking(signature: string): JsonObject[] {
  if (!signature.startsWith('[{"type":"')) return [];
  try {
    const blocks = JSON.parse(signature) as Json;
    return Array.isArray(blocks) && blocks.every(isThinking) ? blocks : [];
  } catch {
    return [];
  }
}

export function formatThinking(blocks: readonly JsonObject[]): string | undefined {
  return blocks.length === 0 ? undefined : JSON.stringify(blocks);
}

function isThinking(block: Json): block is JsonObject {
  if (!isJsonObject(block)) return false;
  if (block['type'] === 'redacted_thinking') return typeof block['data'] === 'string';
  return (
    block['type'] === 'thinking' &&
    typeof block['thinking'] === 'string' &&
    typeof block['signature'] === 'string'
  );
}
