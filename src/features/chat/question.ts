import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { AgentRun } from '../agent/feature.ts';
import type { ModelRequest, Models } from '../models/feature.ts';
import type { ContextSize, Filters, Place, SearchKind } from '../search/feature.ts';
import type { ToolDependencies } from '../tools/feature.ts';
import type { RunVerification } from '../verification/feature.ts';
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
export interface ChatQuestion
  extends
    Pick<ModelRequest, 'system' | 'turns' | 'format' | 'outputTokensMax' | 'stop'>,
    Pick<AgentRun, 'functions' | 'toolChoice' | 'parallelToolCalls' | 'check' | 'accountId'> {
  readonly profile: ChatProfile;
  /** Name of the model that answers and plans. */
  readonly modelName: string;
  readonly attachments: readonly Attachment[];
  /** Null where no search is wanted. */
  readonly search: WebSearchOptions | null;
  readonly images: ImageSearchOptions | null;
  readonly videos: boolean;
  readonly related: boolean;
  readonly sampling: Pick<
    ModelRequest,
    'temperature' | 'topP' | 'topK' | 'presencePenalty' | 'frequencyPenalty'
  >;
  readonly effort: 'low' | 'medium' | 'high';
  readonly isEffortGiven: boolean;
  /** Language of the answer, as the caller wrote it. */
  readonly language: string | null;
}

export interface ChatDependencies extends Pick<ToolDependencies, 'search' | 'pages' | 'clock'> {
  readonly models: Models;
  readonly thinkPreamble: boolean;
  /** Null verifies no answer. */
  readonly verification: RunVerification | null;
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
