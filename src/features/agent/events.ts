import type { FinishReason, ModelUsage } from '../models/feature.ts';
import type { Verified } from '../verification/feature.ts';
import type { ToolItem, ToolProgress, ToolUse } from '../tools/feature.ts';

/** A marker in a text that stands for a source. Offsets in UTF-16 code units of the whole text, end exclusive. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  readonly sourceId: number;
  readonly url: string;
  readonly title: string;
}

export interface RunUsage {
  /** Over all calls of models. */
  readonly model: ModelUsage;
  /** Reasoning is part of `model.output`. Units: uses, USD. */
  readonly tools: Readonly<Record<string, Omit<ToolUse, 'name'>>>;
}

/**
 * Events of a run. Their order is the same in every run: per step with built-in tools `tools-start`, progress,
 * `tools-end`, then one `item` per result; per model turn messages (`message-start`, deltas, citations, `message-end`)
 * and function calls as they came, the calls last where built-in tools may run between; last `end`, once. Text is
 * final: markers without a source were removed before.
 */
export type AgentEvent =
  /** The name that answers, as it was asked for; before anything else, and again when a fallback took over. */
  | { readonly type: 'model'; readonly name: string }
  | { readonly type: 'tools-start'; readonly thought: string }
  | ({ readonly thought: string } & { readonly type: 'progress'; readonly progress: ToolProgress })
  | { readonly type: 'tools-end'; readonly thought: string }
  | { readonly type: 'item'; readonly item: ToolItem }
  /** Visible reasoning of a model that has one. */
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'message-start' }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: Citation }
  | { readonly type: 'message-end'; readonly text: string; readonly citations: readonly Citation[] }
  | {
      readonly type: 'call-start';
      readonly callId: string;
      readonly name: string;
      readonly signature?: string;
    }
  | { readonly type: 'call-delta'; readonly callId: string; readonly arguments: string }
  | {
      readonly type: 'call-end';
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
      /** A filter ended the answer within the arguments, so nobody is asked to run the call. */
      readonly isCut?: true;
    }
  /** Replaces the usage that was reported before. */
  | { readonly type: 'usage'; readonly usage: RunUsage }
  /** What became of the sentences that cite a source; right before the end, where any was judged. */
  | { readonly type: 'verification'; readonly verification: Verified }
  | {
      readonly type: 'end';
      /** `calls` waits for results of the caller's functions. */
      readonly reason: FinishReason | 'calls';
      readonly stopSequence: string | null;
    };
