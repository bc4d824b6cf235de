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
  readonly block: UserBlock;
  /** Dotted path in the request. */
  readonly path: string;
}

/** Blocks of the user's messages, with those in results of tools after the result. */
function* placesOf(messages: readonly Message[]): Generator<Place> {
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== 'user') continue;
    for (const [index, block] of blocksOf(content).entries()) {
      const path = `messages.${at}.content.${index}`;
      yield { block, path };
      if (block.type !== 'tool_result') continue;
      for (const [inner, one] of blocksOf(block.content ?? []).entries())
        yield { block: one, path: `${path}.content.${inner}` };
    }
  }
}

/** Every address that the conversation names. */
export function remotesOf(messages: readonly Message[]): Remote[] {
  return [...placesOf(messages)].flatMap(({ block, path }) => {
    if (block.type === 'text' || block.type === 'tool_result' || block.source.type !== 'url') return [];
    const mediaTypes = block.type === 'image' ? imageTypes : documentTypes;
    return [{ url: block.source.url, param: `${path}.source.url`, mediaTypes }];
  });
}

export function documentsOf(messages: readonly Message[]) {
  return [...placesOf(messages)].flatMap(({ block, path }) =>
    block.type === 'document' ? [{ block, path }] : [],
  );
}
