import type { Json } from '../../../../kernel/kit/json.ts';

const beginning = '{"reasoning_content":';

/**
 * Some servers want the reasoning before a call back with its result, and refuse a call without it. It travels as the
 * `signature` of the first call after it.
 */
export function formatReasoning(text: string): string {
  return JSON.stringify({ reasoning_content: text });
}

/** Null for what other models signed. */
export function parseReasoning(signature: string | undefined): string | null {
  if (signature?.startsWith(beginning) !== true) return null;
  try {
    const { reasoning_content: text } = JSON.parse(signature) as Readonly<Record<string, Json>>;
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}
