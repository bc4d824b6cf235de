import { Fault } from '../../kernel/faults.ts';
import { isJsonObject } from '../../kernel/kit/json.ts';
import type { FinishReason } from './model.ts';
import { unusable } from './upstream-fault.ts';

/** Whether this is the JSON object that arguments of a call are. */
export function isWholeArguments(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    // The backend wrote it; whoever asks says so.
    return false;
  }
}

/** A call whose arguments are missing or cut: nobody could run it, and nobody is to guess what was meant. */
export function cutArguments(reason: FinishReason | null): Fault {
  if (!isLimit(reason)) return unusable('the arguments of a call are cut');
  const message = 'The limit of tokens cut the arguments of a tool call: allow more tokens.';
  return new Fault('bad_gateway', message, { final: true });
}

/** Reasons after which what has not come is missing. */
export function isLimit(reason: FinishReason | null): boolean {
  return reason === 'length' || reason === 'context-full';
}
