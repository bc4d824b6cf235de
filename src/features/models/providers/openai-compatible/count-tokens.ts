import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { ModelRequest } from '../../model.ts';
import type { CallBeside } from './details.ts';
import { toMessages } from './messages.ts';
import type { Quirks } from './quirks.ts';

/** Lets the server count a request; null where it cannot, or did not this time. Unit: tokens. */
export async function countTokens(
  model: string,
  { system, turns, tools }: ModelRequest,
  quirks: Quirks,
  call: CallBeside,
): Promise<number | null> {
  if (quirks.counting === null) return null;
  const functions = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, ...(description === null ? {} : { description }), parameters },
  }));
  const prompt = {
    model,
    messages: toMessages(system, turns, quirks),
    ...(functions.length === 0 ? {} : { tools: functions }),
  };
  if (quirks.counting === 'vllm') {
    return positive(fieldOf(await call('/tokenize', JSON.stringify(prompt)), 'count'));
  }
  const rendered = fieldOf(await call('/apply-template', JSON.stringify(prompt)), 'prompt');
  if (typeof rendered !== 'string') return null;
  const body = { content: rendered, add_special: true, parse_special: true };
  const tokens = fieldOf(await call('/tokenize', JSON.stringify(body)), 'tokens');
  return Array.isArray(tokens) ? positive(tokens.length) : null;
}

function fieldOf(outcome: OutboundOutcome, name: string): Json | undefined {
  return outcome.ok && isJsonObject(outcome.body) ? outcome.body[name] : undefined;
}

function positive(count: Json | undefined): number | null {
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : null;
}
