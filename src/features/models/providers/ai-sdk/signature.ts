import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';

/** Metadata that a package wants back with a call is its `signature`. Null for what other providers signed. */
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
