import type { Clock } from '../../kernel/kit/clock.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { FunctionTool, ModelRequest, Models, OutputCheck, ToolChoice, Turn } from '../models/feature.ts';
import type { ContextSize, Filters, PageReader, Place, Search, SearchKind } from '../search/feature.ts';
import type { ChatProfile } from './profiles.ts';
import type { StructuredGenerator } from './structured-generator.ts';

export interface Attachment {
  /** Where it came from, or a name that stands for it. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

export interface WebSearchOptions {
  readonly kind: Exclude<SearchKind, 'people'>;
  readonly filters: Filters;
  readonly place: Place | null;
  readonly safe: boolean;
  readonly contextSize: ContextSize;
  /** 1 to 50. */
  readonly resultsMax: number;
  /** Whether what was found may lead to further searches. */
  readonly isPro: boolean;
  /** Whether the model decides if a search is needed at all. */
  readonly isClassified: boolean;
}

export interface ImageSearchOptions {
  readonly countMax: number;
  /** Host names; sub-domains match. Empty allows all. */
  readonly allowDomains: readonly string[];
  readonly denyDomains: readonly string[];
  /** Lower-case endings without a dot. Empty allows all. */
  readonly formats: readonly string[];
}

/** A question in the terms of the domain, not of a wire. */
export interface ChatQuestion {
  readonly profile: ChatProfile;
  /** Name of the model that answers and plans. */
  readonly modelName: string;
  /** Instructions of the caller. */
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly attachments: readonly Attachment[];
  /** Null where no search is wanted. */
  readonly search: WebSearchOptions | null;
  readonly images: ImageSearchOptions | null;
  readonly videos: boolean;
  readonly related: boolean;
  readonly functions: readonly FunctionTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  /** Checks the answer before any of it is emitted; null accepts any text. */
  readonly check: OutputCheck | null;
  readonly format: ModelRequest['format'];
  readonly sampling: Pick<
    ModelRequest,
    'temperature' | 'topP' | 'topK' | 'presencePenalty' | 'frequencyPenalty'
  >;
  readonly outputTokensMax: number | null;
  readonly stop: readonly string[];
  readonly effort: 'low' | 'medium' | 'high';
  readonly isEffortGiven: boolean;
  /** Language of the answer, as the caller wrote it. */
  readonly language: string | null;
  readonly accountId: string;
}

export interface ChatDependencies {
  readonly models: Models;
  readonly search: Search;
  readonly pages: PageReader;
  readonly clock: Clock;
  readonly thinkPreamble: boolean;
  /** Logs a failure that costs quality and not the answer: of a plan, a note, a page, a picture. */
  readonly onFailure: OnFailure;
}

export interface ChatWork extends ChatDependencies {
  readonly question: ChatQuestion;
  readonly generator: StructuredGenerator;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  readonly signal: AbortSignal;
}
