import { Fault } from '../../kernel/faults.ts';
import { isJsonObject } from '../../kernel/kit/json.ts';
import type { FinishReason } from './model.ts';
import { unusable } from './upstream-fault.ts';

/** Whether a text is a JSON object, as the arguments of a call must be. */
export function isWholeArguments(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The fault of a call whose arguments are missing or cut: it cannot be run, and its meaning is not guessed. */
export function cutArguments(reason: FinishReason | null): Fault {
  if (!isLimit(reason)) return unusable('the arguments of a call are cut');
  const message = 'The limit of tokens cut the arguments of a tool call: allow more tokens.';
  return new Fault('bad_gateway', message, { final: true });
}

/** Whether an answer was ended by a limit, so that its last call may be incomplete. */
export function isLimit(reason: FinishReason | null): boolean {
  return reason === 'length' || reason === 'context-full';
}
