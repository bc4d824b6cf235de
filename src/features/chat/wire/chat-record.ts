import { Fault } from '../../../kernel/faults.ts';
import type { ChatEvent, GroundingContext, ChatSource, ChatTokenUsage, ChatStep } from '../events.ts';
import type { Billing } from '../../../kernel/http/operation.ts';
import type { ContextSize, ImageHit, VideoHit } from '../../search/feature.ts';
import { toWireVerification, type WireVerification } from '../../verification/feature.ts';
import type { ChatModel } from './chat-models.ts';
import type { ChatResponse, ChatSearchResult, ChatUsage, ReasoningStep } from './chat-response.ts';

/** Facts of a completion before its first event. */
export interface ChatHead {
  readonly id: string;
  /** As the caller named it. */
  readonly modelName: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: ChatModel;
  /** Of the caller's messages. Unit: tokens. */
  readonly promptTokens: number;
  readonly contextSize: ContextSize;
  readonly isPro: boolean;
  readonly citations: boolean;
}

/** Length that counts as a token while no model has reported a count: never more tokens than there are. Unit: UTF-16 units. */
const unitsPerToken = 6;

type Call = NonNullable<ChatResponse['choices'][number]['message']['tool_calls']>[number];

/**
 * Records the events of one completion in the form of the wire. Whole replies, both forms of streams, jobs and the
 * ledger are read from it, so that they agree.
 */
export class ChatRecord {
  readonly head: ChatHead;
  content = '';
  readonly steps: ReasoningStep[] = [];
  readonly calls: Call[] = [];
  grounding: GroundingContext = noGrounding;
  finish: 'stop' | 'length' | 'tool_calls' | null = null;
  #verification: WireVerification | null = null;
  #tokenUsage: ChatTokenUsage = { output: 0, reasoning: 0, planning: 0 };
  #callUnits = 0;

  constructor(head: ChatHead) {
    this.head = head;
  }

  /** Whether replies show steps. Contract 9.4. */
  get showsSteps(): boolean {
    const { profile } = this.head.model;
    return profile.thinks || this.head.isPro;
  }

  push(event: ChatEvent): void {
    switch (event.type) {
      case 'step':
        if (this.showsSteps) this.steps.push(toReasoningStep(event.step));
        return;
      case 'grounding':
        this.grounding = event.grounding;
        return;
      case 'verification':
        this.#verification = toWireVerification(event.verification);
        return;
      case 'text':
        this.content += event.text;
        return;
      case 'call-delta':
        this.#callUnits += event.arguments.length;
        return;
      case 'call-end':
        if (event.isCut === true) return;
        this.calls.push({
          id: event.callId,
          type: 'function',
          function: { name: event.name, arguments: event.arguments },
        });
        return;
      case 'end':
        this.#tokenUsage = event.tokenUsage;
        this.finish = event.reason === 'calls' ? 'tool_calls' : event.reason;
        return;
      case 'call-start':
    }
  }

  /** Counts tokens. They grow with the text and never fall: the count of the model at the end is at least that. */
  counts() {
    const { promptTokens, contextSize, model } = this.head;
    const { output, reasoning } = this.#tokenUsage;
    const written = Math.ceil((this.content.length + this.#callUnits) / unitsPerToken);
    const own = model.profile.isResearch ? output - reasoning : output;
    const completion = Math.max(own, written);
    return {
      prompt_tokens: promptTokens,
      completion_tokens: completion,
      total_tokens: promptTokens + completion,
      search_context_size: contextSize,
    };
  }

  usage(): ChatUsage {
    const counts = this.counts();
    const parts = this.#costParts(counts.completion_tokens);
    const total_cost = Object.values(parts).reduce((sum, cost) => sum + cost, 0);
    const [input_tokens_cost, output_tokens_cost] = [parts['input'] ?? 0, parts['output'] ?? 0];
    if (!this.head.model.profile.isResearch) {
      const request_cost = parts['request'] ?? 0;
      return { ...counts, cost: { input_tokens_cost, output_tokens_cost, request_cost, total_cost } };
    }
    return {
      ...counts,
      citation_tokens: 0,
      num_search_queries: this.grounding.queries,
      reasoning_tokens: this.#reasoningTokens(),
      cost: {
        input_tokens_cost,
        output_tokens_cost,
        citation_tokens_cost: 0,
        reasoning_tokens_cost: parts['reasoning'] ?? 0,
        search_queries_cost: parts['searches'] ?? 0,
        total_cost,
      },
    };
  }

  /** The bill, also of a reply that broke off. */
  billing(): Billing {
    const { model, promptTokens } = this.head;
    const { completion_tokens: completion } = this.counts();
    const { queries } = this.grounding;
    return {
      model: model.name,
      inputTokens: promptTokens,
      outputTokens: completion + (model.profile.isResearch ? this.#reasoningTokens() : 0),
      ...(queries === 0 ? {} : { otherUnits: { searches: queries } }),
      costParts: this.#costParts(completion),
    };
  }

  toResponse(): ChatResponse {
    if (this.finish === null) throw new Fault('bad_gateway');
    const { id, modelName, created } = this.head;
    const message = {
      role: 'assistant' as const,
      content: this.content,
      ...(this.showsSteps ? { reasoning_steps: [...this.steps] } : {}),
      ...(this.calls.length > 0 ? { tool_calls: [...this.calls] } : {}),
    };
    return {
      id,
      model: modelName,
      created,
      object: 'chat.completion',
      type: 'message',
      status: 'COMPLETED',
      choices: [{ index: 0, finish_reason: this.finish, message, delta: { role: 'assistant', content: '' } }],
      usage: this.usage(),
      ...this.surroundings(),
      ...this.verification(),
    };
  }

  /** Told once, with the end: the other chunks of a stream do not know it. */
  verification() {
    return this.#verification === null ? {} : { verification: this.#verification };
  }

  /** Everything beside the text. */
  surroundings() {
    const { related } = this.grounding;
    return { ...this.media(), ...(related === null ? {} : { related_questions: [...related] }) };
  }

  /** The same without related questions. */
  media() {
    const { sources, images, videos } = this.grounding;
    const results = sources.map(toSearchResult);
    return {
      ...(this.head.citations ? { citations: results.map(({ url }) => url) } : {}),
      search_results: results,
      ...(images === null ? {} : { images: images.map(toImage) }),
      ...(videos === null ? {} : { videos: videos.map(toVideo) }),
    };
  }

  #reasoningTokens(): number {
    return this.#tokenUsage.reasoning + this.#tokenUsage.planning;
  }

  #costParts(completion: number): Readonly<Record<string, number>> {
    const { model, promptTokens, contextSize, isPro } = this.head;
    const { prices, profile } = model;
    const { queries } = this.grounding;
    const tokens = {
      input: (promptTokens * prices.input) / 1_000_000,
      output: (completion * prices.output) / 1_000_000,
    };
    if (profile.isResearch) {
      return {
        ...tokens,
        reasoning: (this.#reasoningTokens() * prices.reasoning) / 1_000_000,
        searches: (queries * prices.search) / 1_000,
      };
    }
    const part = isPro ? 'pro_request' : 'request';
    const fee = prices[`${part}_${contextSize}`];
    return { ...tokens, request: queries === 0 ? 0 : fee / 1_000 };
  }
}

const noGrounding: GroundingContext = {
  sources: [],
  images: null,
  videos: null,
  related: null,
  queries: 0,
  engines: null,
};

function toSearchResult({ title, url, date, lastUpdated, snippet, kind }: ChatSource): ChatSearchResult {
  return { title, url, date, last_updated: lastUpdated, snippet, source: kind };
}

export function toReasoningStep(step: ChatStep): ReasoningStep {
  const { thought } = step;
  if (step.type === 'read') {
    const contents = step.pages.map(toSearchResult);
    return { thought, type: 'fetch_url_content', fetch_url_content: { contents } };
  }
  const search_results = step.results.map(toSearchResult);
  return { thought, type: 'web_search', web_search: { search_keywords: [...step.queries], search_results } };
}

function toImage({ imageUrl, originUrl, title, width, height }: ImageHit) {
  return { image_url: imageUrl, origin_url: originUrl, title, width, height };
}

function toVideo({ url, duration, ...thumbnail }: VideoHit) {
  return {
    url,
    thumbnail_url: thumbnail.thumbnailUrl,
    thumbnail_width: thumbnail.thumbnailWidth,
    thumbnail_height: thumbnail.thumbnailHeight,
    duration,
  };
}
