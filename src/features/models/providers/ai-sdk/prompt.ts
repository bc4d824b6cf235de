import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { parseExact } from '../../../../kernel/kit/json-exact.ts';
import type { ModelRequest, ToolCall, ToolResult, Turn, UserPart } from '../../model.ts';
import { parseSignature } from './signature.ts';

/** The conversation as a prompt, with one message of instructions: not every package takes several or later ones. */
export function toPrompt({ system, turns }: Pick<ModelRequest, 'system' | 'turns'>): LanguageModelV4Prompt {
  const instructions = system.filter((text) => text.trim() !== '').join('\n\n');
  const first: LanguageModelV4Message[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions }];
  return [...first, ...turns.filter((turn) => !isEmpty(turn)).map(toMessage)];
}

function isEmpty(turn: Turn): boolean {
  return (turn.role === 'tool' ? turn.results : turn.parts).length === 0;
}

function toMessage(turn: Turn): LanguageModelV4Message {
  switch (turn.role) {
    case 'user':
      return { role: 'user', content: turn.parts.map(toUserPart) };
    case 'assistant':
      return {
        role: 'assistant',
        content: turn.parts.flatMap((part) => {
          if (part.type === 'thought' || part.type === 'reasoning-details') return [];
          return [part.type === 'text' ? { type: 'text', text: part.text } : toCallPart(part)];
        }),
      };
    case 'tool':
      return { role: 'tool', content: turn.results.map(toResultPart) };
  }
}

function toUserPart(part: UserPart): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const file = {
    type: 'file',
    mediaType: part.mediaType,
    data: { type: 'data', data: part.base64 },
  } as const;
  return part.type === 'document' && part.title !== null ? { ...file, filename: part.title } : file;
}

function toCallPart({ id, name, arguments: text, signature }: ToolCall) {
  const providerOptions = signature === undefined ? null : parseSignature(signature);
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: parseInput(text),
    ...(providerOptions !== null && { providerOptions }),
  } as const;
}

/** Packages write it back as JSON. What a model wrote that is none goes back as the text that it is. */
function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

function toResultPart({ callId, name, parts, isError }: ToolResult): LanguageModelV4ToolResultPart {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const isText = texts.length === parts.length;
  const value = texts.join('\n');
  const output: LanguageModelV4ToolResultPart['output'] = isError
    ? { type: 'error-text', value }
    : isText
      ? { type: 'text', value }
      : { type: 'content', value: parts.map(toUserPart) };
  return { type: 'tool-result', toolCallId: callId, toolName: name, output };
}
