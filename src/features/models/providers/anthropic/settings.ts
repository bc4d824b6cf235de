import type { JsonObject } from '../../../../kernel/kit/json.ts';
import type { ModelRequest } from '../../model.ts';
import { toWireEffort, type Traits, type WireEffort } from './traits.ts';

export interface Thinking {
  /** The field `thinking`; null leaves it out. */
  readonly field: JsonObject | null;
  /** For `output_config`; null leaves it out. */
  readonly effort: WireEffort | null;
  /** Whether the model thinks in this request, as far as it was asked to. */
  readonly on: boolean;
}

/** Other settings of a request that restrict thinking. */
interface ThinkingLimits {
  readonly maxTokens: number;
  readonly forcedTool: boolean;
  readonly prefill: boolean;
  /** A round of tool calls is under way whose first thoughts are not known any more. */
  readonly thoughtsLost: boolean;
}

const budgetTokensMin = 1_024;
/** Larger budgets take longer than a connection stays open. */
const budgetTokensMax = 32_000;
/** Shares of `max_tokens`, of which the thoughts are part. */
const budgetShares = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.95 } as const;

/**
 * Thinking by effort: as the model decides (`adaptive`) with the word for how much, or with a budget on models that want
 * one. It stays off where the wire refuses it: beside a forced tool, a prefill, or when there is no room for a budget.
 */
export function toThinking(effort: ModelRequest['effort'], traits: Traits, limits: ThinkingLimits): Thinking {
  if (effort === null) return { field: null, effort: null, on: false };
  const { adaptive, enabled, disabled, betweenTools } = traits.thinking;
  const word = toWireEffort(effort, traits);
  const off = { field: null, effort: word, on: false };
  if (effort === 'none') {
    if (disabled && (adaptive || enabled)) return { field: { type: 'disabled' }, effort: null, on: false };
    return betweenTools ? { field: { type: 'between_tools' }, effort: null, on: false } : off;
  }
  if (limits.forcedTool || limits.prefill) return off;
  // `summarized`: newer models leave the text of their thoughts out otherwise.
  if (adaptive) return { field: { type: 'adaptive', display: 'summarized' }, effort: word, on: true };
  if (!enabled || limits.thoughtsLost || limits.maxTokens < 2 * budgetTokensMin) return off;
  const share = Math.floor(limits.maxTokens * budgetShares[effort]);
  const budget = Math.min(budgetTokensMax, Math.max(budgetTokensMin, share));
  return { field: { type: 'enabled', budget_tokens: budget }, effort: word, on: true };
}

/** `temperature`, `top_p` and `top_k`, as far as the model takes them. Penalties and seeds the wire does not know. */
export function toSampling(request: ModelRequest, { sampling }: Traits, thinking: boolean): JsonObject {
  const { temperature, topP, topK } = request;
  if (sampling === 'none') return {};
  // Thinking is at temperature 1, and only mild narrowing goes with it.
  if (thinking) return topP !== null && topP >= 0.95 ? { top_p: Math.min(1, topP) } : {};
  const both = sampling === 'both' || temperature === null;
  return {
    ...(temperature !== null && { temperature: clamp(temperature) }),
    ...(topP !== null && both && { top_p: clamp(topP) }),
    ...(topK !== null && topK > 0 && { top_k: topK }),
  };
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
