import {
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  estimateRequestTokens,
} from '../../models/feature.ts';

/** A usual word of a tokenizer; used only where no backend told a count. */
const unitsPerToken = 4;

/** What a stream has cost so far, also when it breaks off before its backend told it. */
export interface UsageCounter {
  observe(batch: readonly ModelEvent[]): void;
  readonly usage: () => ModelUsage;
}

/** Counts what is delivered, and believes the backend as soon as it has told the whole. */
export function createUsageCounter(request: ModelRequest): UsageCounter {
  let told: ModelUsage | null = null;
  let finished = false;
  let units = 0;
  return {
    observe(batch) {
      for (const event of batch) {
        if (event.type === 'text-delta') units += event.text.length;
        else if (event.type === 'tool-call-delta') units += event.arguments.length;
        else if (event.type === 'usage') told = event.usage;
        else if (event.type === 'finish') finished = true;
      }
    },
    usage() {
      if (finished && told !== null) return told;
      const base = told ?? {
        input: estimateRequestTokens(request),
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        reasoning: 0,
      };
      return { ...base, output: Math.max(base.output, Math.ceil(units / unitsPerToken)) };
    },
  };
}
