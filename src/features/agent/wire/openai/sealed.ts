import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';

/**
 * What the server hands to a client to be brought back, in the field that clients pass on unread. It is encoded and not
 * secret: it holds nothing but what the conversation of its own caller made.
 */
export type Sealed =
  | { readonly kind: 'summary' | 'found'; readonly text: string }
  /** Of calls, by their ids: some models want them back. */
  | { readonly kind: 'signatures'; readonly signatures: JsonObject };

const mark = 'nestor1.';

export function seal(content: Sealed): string {
  return mark + Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Null for what another server sealed. */
export function unseal(text: Json | undefined): Sealed | null {
  if (typeof text !== 'string' || !text.startsWith(mark)) return null;
  try {
    const content = JSON.parse(Buffer.from(text.slice(mark.length), 'base64url').toString()) as Json;
    if (!isJsonObject(content)) return null;
    const { kind, text: told, signatures } = content;
    if ((kind === 'summary' || kind === 'found') && typeof told === 'string') return { kind, text: told };
    return kind === 'signatures' && isJsonObject(signatures) ? { kind, signatures } : null;
  } catch {
    return null;
  }
}
