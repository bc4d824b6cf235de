import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
} from '@ai-sdk/provider';
import type { ModelRequest } from '../../model.ts';
import { toPrompt } from './prompt.ts';

/** `owner` is the key under which the package reads its own options: the first word of what it calls itself. */
export function toCallOptions(request: ModelRequest, owner: string): LanguageModelV4CallOptions {
  const { tools, toolChoice, format, stop } = request;
  const own = {
    ...(tools.length > 0 && !request.parallelToolCalls && { parallelToolCalls: false }),
    ...(format.type === 'json-schema' && format.strict && { strictJsonSchema: true }),
  };
  return {
    prompt: toPrompt(request),
    ...(request.outputTokensMax !== null && { maxOutputTokens: request.outputTokensMax }),
    ...(request.temperature !== null && { temperature: request.temperature }),
    ...(request.topP !== null && { topP: request.topP }),
    ...(request.topK !== null && { topK: request.topK }),
    ...(request.presencePenalty !== null && { presencePenalty: request.presencePenalty }),
    ...(request.frequencyPenalty !== null && { frequencyPenalty: request.frequencyPenalty }),
    ...(request.seed !== null && { seed: request.seed }),
    ...(request.effort !== null && { reasoning: request.effort }),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters, strict }) => ({
        type: 'function' as const,
        name,
        ...(description !== null && { description }),
        inputSchema: parameters,
        ...(strict && { strict }),
      })),
      toolChoice:
        typeof toolChoice === 'object'
          ? { type: 'tool' as const, toolName: toolChoice.name }
          : { type: toolChoice },
    }),
    ...(format.type !== 'text' && { responseFormat: toResponseFormat(format) }),
    ...(Object.keys(own).length > 0 && { providerOptions: { [owner]: own } }),
  };
}

function toResponseFormat(format: Exclude<ModelRequest['format'], { type: 'text' }>) {
  if (format.type === 'json') return { type: 'json' } as const;
  const { name, schema, description } = format;
  return { type: 'json', schema, name, ...(description !== null && { description }) } as const;
}

/** The same for the version before, which writes files in another way. Its word for effort it ignores. */
export function toOlderOptions(options: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  return { ...options, prompt: options.prompt.map(toOlderMessage) as LanguageModelV3Prompt };
}

function toOlderMessage(message: LanguageModelV4Message): unknown {
  if (message.role === 'user') {
    return {
      role: 'user',
      content: message.content.map((part) =>
        part.type === 'file' ? { ...part, data: bytesOf(part.data) } : part,
      ),
    };
  }
  if (message.role !== 'tool') return message;
  return {
    role: 'tool',
    content: message.content.map((part) => (part.type === 'tool-result' ? toOlderResult(part) : part)),
  };
}

function toOlderResult(part: LanguageModelV4ToolResultPart): unknown {
  if (part.output.type !== 'content') return part;
  const value = part.output.value.map((item) => {
    if (item.type !== 'file') return item;
    const type = item.mediaType.startsWith('image/') ? 'image-data' : 'file-data';
    return { type, data: bytesOf(item.data), mediaType: item.mediaType };
  });
  return { ...part, output: { type: 'content', value } };
}

function bytesOf(data: SharedV4FileData): string {
  return data.type === 'data' && typeof data.data === 'string' ? data.data : '';
}
