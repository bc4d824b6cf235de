import { objectOf } from '../../json-fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { ModelUsage } from '../../model.ts';
import { readCount } from '../../sound-usage.ts';

/** Reads usage in the shapes in use; null when there are no counts. */
export function fromUsage(usage: Json | undefined): ModelUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = countOf(usage, 'prompt_tokens');
  const completion = countOf(usage, 'completion_tokens');
  if (prompt === null && completion === null) return null;
  const details = objectOf(usage['prompt_tokens_details']);
  // OpenAI and most; DeepSeek; Moonshot.
  const cacheRead =
    countOf(details, 'cached_tokens') ??
    countOf(usage, 'prompt_cache_hit_tokens') ??
    countOf(usage, 'cached_tokens') ??
    0;
  const cacheWrite = countOf(details, 'cache_write_tokens') ?? 0;
  const reasoning = countOf(objectOf(usage['completion_tokens_details']), 'reasoning_tokens') ?? 0;
  // xAI and Gemini leave reasoning out of `completion_tokens` and count it in the total.
  const rest = (countOf(usage, 'total_tokens') ?? 0) - (prompt ?? 0);
  const output = Math.max(completion ?? 0, rest);
  return {
    input: Math.max(0, (prompt ?? 0) - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: Math.min(reasoning > 0 ? reasoning : output - (completion ?? 0), output),
  };
}

function countOf(from: JsonObject, name: string): number | null {
  return readCount(from[name]);
}
