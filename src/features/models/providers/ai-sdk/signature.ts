import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';

/**
 * Metadata that a package sends with a call and wants back with it (mostly a signature of the thoughts before it) is the
 * call's `signature`. Other providers sign otherwise: what is not shaped like ours gives null.
 */
export function parseSignature(signature: string): SharedV4ProviderOptions | null {
  if (!signature.startsWith('{')) return null;
  try {
    const options = JSON.parse(signature) as Json;
    return isJsonObject(options) && Object.values(options).every(isJsonObject)
      ? (options as SharedV4ProviderOptions)
      : null;
  } catch {
    return null;
  }
}

export function formatSignature(metadata: unknown): string | undefined {
  if (!isJsonObject(metadata) || Object.keys(metadata).length === 0) return undefined;
  return JSON.stringify(metadata);
}
