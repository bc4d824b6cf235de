import { formatCount, formatUsd } from '../formats.ts';

/** The fields of chat completions that the console shows. Streams and jobs have the same. */
export interface ChatSource {
  readonly title: string;
  readonly url: string;
  readonly date: string | null;
  readonly last_updated: string | null;
  readonly snippet: string;
}

export interface ReasoningStep {
  readonly thought: string;
  readonly type: string;
  readonly web_search?: {
    readonly search_keywords: readonly string[];
    readonly search_results: readonly ChatSource[];
  };
  readonly fetch_url_content?: { readonly contents: readonly ChatSource[] };
  readonly execute_python?: { readonly code: string; readonly result: string };
}

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly cost?: { readonly total_cost: number };
}

export interface ChatMessagePart {
  readonly content?: string;
  readonly reasoning_steps?: readonly ReasoningStep[];
}

/** A whole completion, or one event of a stream with `stream_mode: concise`. */
export interface ChatEvent {
  readonly object: string;
  readonly choices: readonly {
    readonly finish_reason: string | null;
    readonly message?: ChatMessagePart;
    readonly delta?: ChatMessagePart;
  }[];
  readonly usage?: ChatUsage;
  readonly search_results?: readonly ChatSource[];
  readonly related_questions?: readonly string[];
}

/** Tokens, and the cost once it is known where costs are wanted. */
export function formatUsage(
  { prompt_tokens: given, completion_tokens: written, cost }: ChatUsage,
  withCost: boolean,
): string {
  const tokens = `${formatCount(given)} tokens in, ${formatCount(written)} out`;
  return cost === undefined || !withCost ? tokens : `${tokens} · ${formatUsd(cost.total_cost)}`;
}
