import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { CacheMark } from '../../../models/feature.ts';
import type { DocumentBlock, ImageBlock, Message, TextBlock, UserBlock } from '../messages/blocks.ts';
import { blocksOf } from '../messages/blocks.ts';
import type { Ignored } from './ignored.ts';
import type { AnthropicCountRequest } from './schema.ts';
import { readServerBlocks, type AssistantRead } from './server-blocks.ts';
import { ToolChanges } from './tool-changes.ts';

type Sent = AnthropicCountRequest['messages'][number];
type Blocks<Role> = Exclude<NonNullable<Extract<Sent, { role: Role }>['content']>, string>[number];
type InResult = Exclude<
  NonNullable<Extract<Blocks<'user'>, { type: 'tool_result' }>['content']>,
  string
>[number];

/** What a request says, in blocks that every surface with this schema has. */
export interface Conversation {
  readonly system: readonly string[];
  readonly systemCache: readonly (CacheMark | null)[];
  readonly messages: readonly Message[];
  readonly toolChanges: ToolChanges;
}

export function readConversation(
  { system, messages }: Pick<AnthropicCountRequest, 'system' | 'messages'>,
  ignored: Ignored,
): Conversation {
  const texts: string[] = [];
  const marks: (CacheMark | null)[] = [];
  for (const [index, block] of blocksOf(system ?? []).entries()) {
    if (block.type === 'text') {
      texts.push(block.text);
      marks.push(ignored.markOf(block, `system.${index}`));
    } else ignored.add(`system.${index}`);
  }
  const toolChanges = new ToolChanges();
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const read = messages.flatMap((message, at): Message[] => {
    const path = `messages.${at}`;
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: readUser(message.content, `${path}.content`, ignored) }];
      case 'assistant':
        return readServerBlocks(readAssistant(message.content, `${path}.content`, ignored), ignored);
      case 'system': {
        // What is to be shown for one turn is gone once the next one has come.
        if (message.clear_at === 'next_user_message' && lastUser > at) return [];
        const said = textOf(message.content ?? '', `${path}.content`, toolChanges, ignored);
        return said === '' ? [] : [{ role: 'user', content: `<system-message>\n${said}\n</system-message>` }];
      }
    }
  });
  return { system: texts, systemCache: marks, messages: read, toolChanges };
}

function textOf(
  content: string | readonly Blocks<'system'>[],
  path: string,
  changes: ToolChanges,
  ignored: Ignored,
): string {
  const texts = blocksOf(content).flatMap((block, index) => {
    if (block.type === 'text') return [block.text];
    const place = `${path}.${index}`;
    if (!changes.read(block, place, ignored)) ignored.add(place);
    return [];
  });
  return texts.join('\n\n');
}

function readUser(content: string | readonly Blocks<'user'>[], path: string, ignored: Ignored): UserBlock[] {
  return blocksOf(content).flatMap((block, index): UserBlock[] => {
    const place = `${path}.${index}`;
    if (block.type !== 'tool_result') return readShown(block, place, ignored);
    const { tool_use_id, content: inner, is_error: isError } = block;
    const shown = blocksOf(inner ?? []).flatMap((one, at) =>
      readShown(one, `${place}.content.${at}`, ignored),
    );
    const result = { type: 'tool_result', tool_use_id, content: shown, is_error: isError ?? false } as const;
    return [ignored.marked(result, block, place)];
  });
}

/** What a person shows to a model, or a tool does. */
function readShown(
  block: InResult,
  path: string,
  ignored: Ignored,
): (TextBlock | ImageBlock | DocumentBlock)[] {
  switch (block.type) {
    case 'text':
    case 'image':
      return [ignored.marked(block, block, path)];
    case 'document':
      return readDocument(block, path, ignored);
    case 'search_result': {
      const { title, source, content } = block;
      const text = [title, source, '', ...content.map((part) => part.text)].join('\n');
      return [ignored.marked({ type: 'text', text }, block, path)];
    }
    // Whatever its type is called.
    default: {
      const { type, tool_name: name } = block as unknown as JsonObject;
      if (type === 'tool_reference' && typeof name === 'string')
        return [{ type: 'text', text: `Tool: ${name}` }];
      ignored.add(path);
      return [];
    }
  }
}

function readDocument(
  block: Extract<InResult, { type: 'document' }>,
  path: string,
  ignored: Ignored,
): (TextBlock | ImageBlock | DocumentBlock)[] {
  const { source, title = null, context = null, citations } = block;
  if (isJsonObject(citations) && citations['enabled'] === true) ignored.add(`${path}.citations`);
  const about = context === null ? [] : [{ type: 'text', text: context } as const];
  if (source.type !== 'content')
    return [...about, ignored.marked({ type: 'document', source, title }, block, path)];
  const named = title === null ? [] : [{ type: 'text', text: title } as const];
  const parts: (TextBlock | ImageBlock)[] = blocksOf(source.content).map((part) => ({ ...part }));
  const last = parts.at(-1);
  if (last !== undefined) ignored.marked(last, block, path);
  return [...about, ...named, ...parts];
}

function readAssistant(
  content: string | readonly Blocks<'assistant'>[],
  path: string,
  ignored: Ignored,
): AssistantRead[] {
  return blocksOf(content).flatMap((block, index): AssistantRead[] => {
    const place = `${path}.${index}`;
    switch (block.type) {
      case 'text':
      case 'tool_use':
        return [ignored.marked(block, block, place)];
      case 'thinking': {
        const { thinking, signature } = block;
        // Without a signature its model does not want it back.
        return signature ? [{ type: 'thought', text: thinking, signature }] : [];
      }
      case 'redacted_thinking':
        return block.data === '' ? [] : [{ type: 'thought', text: null, signature: block.data }];
      // Whatever its type is called.
      default:
        return [{ type: 'other', path: place, sent: block as unknown as JsonObject }];
    }
  });
}
