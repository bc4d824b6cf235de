import type { AgentEvent } from '../agent/feature.ts';
import type { AskedEngines, Hit, ImageHit, VideoHit } from '../search/feature.ts';

/** A source of an answer, under the number by which its text cites it. */
export interface ChatSource extends Omit<Hit, 'language'> {
  readonly kind: 'web' | 'attachment';
}

export type ChatStep =
  | {
      readonly type: 'search';
      readonly thought: string;
      readonly queries: readonly string[];
      readonly results: readonly ChatSource[];
    }
  | { readonly type: 'read'; readonly thought: string; readonly pages: readonly ChatSource[] };

/** Everything beside the text of an answer. Null where it was not asked for. */
export interface GroundingContext {
  /** The text cites the first as `[1]`. */
  readonly sources: readonly ChatSource[];
  readonly images: readonly ImageHit[] | null;
  readonly videos: readonly VideoHit[] | null;
  readonly related: readonly string[] | null;
  readonly queries: number;
  /** Null where nothing was searched. */
  readonly engines: AskedEngines | null;
}

/** Unit: tokens. Reasoning is part of `output`; `planning` is that of plans, notes and the like. */
export type ChatTokenUsage = Readonly<Record<'output' | 'reasoning' | 'planning', number>>;

/**
 * Events of an answer, in this order: steps, then `grounding` once, then text and calls, then
 * `verification` where any sentence was judged, last `end`, once. Nothing is
 * searched after `grounding`, so that everything after it rests on the same sources.
 */
export type ChatEvent =
  | { readonly type: 'step'; readonly step: ChatStep }
  | { readonly type: 'grounding'; readonly grounding: GroundingContext }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call-start'; readonly callId: string; readonly name: string }
  | Extract<AgentEvent, { readonly type: 'call-delta' | 'call-end' | 'verification' }>
  | {
      readonly type: 'end';
      readonly reason: 'length' | 'stop' | 'calls';
      readonly tokenUsage: ChatTokenUsage;
    };
