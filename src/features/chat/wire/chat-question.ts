import type { Attachment, ChatQuestion } from '../question.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Ids } from '../../../kernel/kit/ids.ts';
import { countAll } from '../../../kernel/kit/count-tokens.ts';
import {
  type FunctionTool,
  type OutputFormat,
  type ToolChoice,
  type OutputCheck,
  countRequestTokens,
  type Media,
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

/** Contents of the attachments, and the account that asks. */
interface Attached {
  readonly media: ReadonlyMap<string, Media>;
  readonly attachments: readonly Attachment[];
  readonly accountId: string;
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
  {
    model,
    check,
    format,
  }: { readonly model: ChatModel; readonly check: OutputCheck | null; readonly format: OutputFormat },
  { media, attachments, accountId }: Attached,
): ChatQuestion {
  const { messages } = body;
  const functions = (body.tools ?? []).map(toFunction);
  const language = body.language_preference?.trim().slice(0, languageCharsMax) ?? '';
  return {
    profile: model.profile,
    modelName: model.runsOn,
    system: systemOf(messages),
    turns: toTurns(messages, (chunk, param) => toUserPart(chunk, param, media)),
    attachments,
    search: toWebSearchOptions(body),
    images: toImageSearchOptions(body),
    videos: wantsVideos(body),
    related: body.return_related_questions ?? false,
    functions,
    toolChoice: toToolChoice(body.tool_choice, functions),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    check,
    format,
    sampling: toSampling(body),
    outputTokensMax: body.max_tokens ?? body.max_completion_tokens ?? null,
    stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []),
    ...toEffort(body.reasoning_effort),
    language: language === '' ? null : language,
    accountId,
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

const emptyRequest = {
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  outputTokensMax: null,
  stop: [],
  temperature: null,
  topP: null,
  topK: null,
  presencePenalty: null,
  frequencyPenalty: null,
  seed: null,
  effort: null,
} as const;

type RequestTool = NonNullable<ChatRequest['tools']>[number];

function toFunction({ function: { name, description, parameters, strict } }: RequestTool): FunctionTool {
  return {
    name,
    description: description ?? null,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  };
}

function toToolChoice(choice: ChatRequest['tool_choice'], functions: readonly FunctionTool[]): ToolChoice {
  if (choice === undefined || choice === null || functions.length === 0) return 'auto';
  return typeof choice === 'string' ? choice : { name: choice.function.name };
}

/** Defaults of contract 9.1. */
function toSampling(body: ChatRequest): ChatQuestion['sampling'] {
  const { top_k: topK } = body;
  return {
    temperature: body.temperature ?? 0.2,
    topP: body.top_p ?? 0.9,
    // 0 is off.
    topK: topK === 0 ? null : (topK ?? null),
    presencePenalty: body.presence_penalty ?? null,
    frequencyPenalty: body.frequency_penalty ?? null,
  };
}

function toEffort(effort: ChatRequest['reasoning_effort']): Pick<ChatQuestion, 'effort' | 'isEffortGiven'> {
  const given = effort ?? null;
  if (given === null) return { effort: 'medium', isEffortGiven: false };
  return { effort: given === 'minimal' ? 'low' : given, isEffortGiven: true };
}
