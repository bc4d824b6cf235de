import type { ChatQuestion } from '../question.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Ids } from '../../../kernel/kit/ids.ts';
import { countAll } from '../../../kernel/kit/count-tokens.ts';
import type { OutputFormat, OutputCheck, Media } from '../../models/feature.ts';
import {
  countRequestTokens,
  emptyRequest,
  toFunctionTool,
  tokensMaxOf,
  toToolChoice,
} from '../../models/feature.ts';
import { toUserPart } from './chat-files.ts';
import type { ChatModel } from './chat-models.ts';
import type { ChatHead } from './chat-record.ts';
import type { ChatRequest } from './chat-schema.ts';
import {
  contextSizeOf,
  isProSearch,
  toImageSearchOptions,
  toWebSearchOptions,
  wantsVideos,
} from './chat-search.ts';
import { systemOf, toTurns } from './chat-turns.ts';

const languageCharsMax = 64;

/** A request whose rules beyond the schema hold. */
export interface CheckedChat {
  readonly model: ChatModel;
  readonly check: OutputCheck | null;
  readonly format: OutputFormat;
}

export function toHead(
  body: ChatRequest,
  model: ChatModel,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  citations: boolean,
): Omit<ChatHead, 'promptTokens'> {
  return {
    id: ids.uuid(),
    modelName: body.model,
    created: Math.floor(clock.now() / 1_000),
    model,
    contextSize: contextSizeOf(body),
    isPro: isProSearch(body) && body.disable_search !== true,
    citations,
  };
}

export function toQuestion(
  body: ChatRequest,
  { model, check, format }: CheckedChat,
  media: ReadonlyMap<string, Media>,
  attached: Pick<ChatQuestion, 'attachments' | 'accountId'>,
): ChatQuestion {
  const { messages } = body;
  const functions = (body.tools ?? []).map((tool) => toFunctionTool(tool.function));
  const effort = body.reasoning_effort ?? null;
  const language = body.language_preference?.trim().slice(0, languageCharsMax) ?? '';
  return {
    profile: model.profile,
    modelName: model.runsOn,
    system: systemOf(messages),
    turns: toTurns(messages, (chunk, param) => toUserPart(chunk, param, media)),
    ...attached,
    search: toWebSearchOptions(body),
    images: toImageSearchOptions(body),
    videos: wantsVideos(body),
    related: body.return_related_questions ?? false,
    functions,
    toolChoice: toToolChoice(body.tool_choice ?? 'auto', functions),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    check,
    format,
    // Defaults of contract 9.1.
    sampling: {
      temperature: body.temperature ?? 0.2,
      topP: body.top_p ?? 0.9,
      // 0 is off.
      topK: body.top_k || null,
      presencePenalty: body.presence_penalty ?? null,
      frequencyPenalty: body.frequency_penalty ?? null,
    },
    outputTokensMax: tokensMaxOf(body),
    stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []),
    effort: effort === 'minimal' ? 'low' : (effort ?? 'medium'),
    isEffortGiven: effort !== null,
    language: language === '' ? null : language,
  };
}

/** The caller's messages and files: what was found for them is not the caller's. Contract 9.4. */
export async function promptTokensOf(
  { system, turns, attachments }: ChatQuestion,
  signal: AbortSignal,
): Promise<number> {
  const attached = await countAll(
    attachments.map(({ text }) => text),
    signal,
  );
  return attached + (await countRequestTokens({ ...emptyRequest, system, turns }, signal));
}
