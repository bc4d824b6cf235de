import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { ModelRequest } from '../../model.ts';
import type { AskBeside } from './details.ts';
import { toMessages } from './messages.ts';
import type { Quirks } from './quirks.ts';

/** What the server itself would read; null where it does not count, or did not this time. Unit: tokens. */
export async function countTokens(
  model: string,
  { system, turns, tools }: ModelRequest,
  quirks: Quirks,
  ask: AskBeside,
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
    return positive(fieldOf(await ask('/tokenize', JSON.stringify(prompt)), 'count'));
  }
  const rendered = fieldOf(await ask('/apply-template', JSON.stringify(prompt)), 'prompt');
  if (typeof rendered !== 'string') return null;
  const body = { content: rendered, add_special: true, parse_special: true };
  const tokens = fieldOf(await ask('/tokenize', JSON.stringify(body)), 'tokens');
  return Array.isArray(tokens) ? positive(tokens.length) : null;
}

function fieldOf(outcome: OutboundOutcome, name: string): Json | undefined {
  return outcome.ok && isJsonObject(outcome.body) ? outcome.body[name] : undefined;
}

function positive(count: Json | undefined): number | null {
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : null;
}
