import type { Json } from '../../../../kernel/kit/json.ts';
import { documentTypes, imageTypes, type Remote, type Thought } from '../../../models/feature.ts';
import type { DocumentSource, ImageSource } from './schema.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly source: ImageSource;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source: DocumentSource;
  readonly title?: string | null;
}

export interface ResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly (TextBlock | ImageBlock | DocumentBlock)[];
  readonly is_error?: boolean;
}

export interface CallBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** Reasoning that the surface drops; what it keeps is a `thought`. */
interface DroppedBlock {
  readonly type: 'thinking' | 'redacted_thinking';
}

export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ResultBlock;
export type AssistantBlock = TextBlock | CallBlock | DroppedBlock | ({ readonly type: 'thought' } & Thought);

/** A message of any surface with the Messages schema. */
export type Message =
  | { readonly role: 'user'; readonly content: string | readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: string | readonly AssistantBlock[] };

export function blocksOf<Block>(content: string | readonly Block[]) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
}

interface Place {
  readonly block: ImageBlock | DocumentBlock;
  /** Dotted path in the request. */
  readonly path: string;
}

/** Images and documents of the user's messages, with those in results of tools after the result. */
function mediaOf(messages: readonly Message[]): readonly Place[] {
  const places: Place[] = [];
  const add = (blocks: readonly UserBlock[], path: string): void => {
    for (const [index, block] of blocks.entries()) {
      if (block.type === 'text') continue;
      const own = `${path}.content.${index}`;
      if (block.type !== 'tool_result') places.push({ block, path: own });
      else if (typeof block.content === 'object') add(block.content, own);
    }
  };
  for (const [at, { role, content }] of messages.entries())
    if (role === 'user' && typeof content === 'object') add(content, `messages.${at}`);
  return places;
}

/** Every address that the conversation names. */
export function remotesOf(messages: readonly Message[]): Remote[] {
  return mediaOf(messages).flatMap(({ block: { type, source }, path }) => {
    if (source.type !== 'url') return [];
    const mediaTypes = type === 'image' ? imageTypes : documentTypes;
    return [{ url: source.url, param: `${path}.source.url`, mediaTypes }];
  });
}

export function documentsOf(messages: readonly Message[]) {
  return mediaOf(messages).flatMap(({ block, path }) => (block.type === 'document' ? [{ block, path }] : []));
}
