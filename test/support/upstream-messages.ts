import type { Json, JsonObject } from '../../src/kernel/kit/json.ts';
import type { WireAnswer } from './upstream-chat.ts';

export function json(body: unknown, status = 200): WireAnswer {
  return { status, headers: { 'content-type': 'application/json' }, steps: [JSON.stringify(body)] };
}

/** An error as the wire tells it, with words that no caller may see. */
export function messagesError(type: string, status: number, message = upstreamWords): WireAnswer {
  return json({ type: 'error', error: { type, message }, request_id: 'req_1' }, status);
}

/** What a server writes about itself and must never reach a caller of ours. */
export const upstreamWords = 'upstream-secret-words';

/** One event of the Messages wire. */
export function event(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const ping = event({ type: 'ping' });
export const stopMessage = event({ type: 'message_stop' });

export function startMessage(usage: JsonObject = { input_tokens: 10, output_tokens: 1 }): string {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return event({ type: 'message_start', message });
}

export function startBlock(index: number, block: JsonObject): string {
  return event({ type: 'content_block_start', index, content_block: block });
}

export function delta(index: number, change: JsonObject): string {
  return event({ type: 'content_block_delta', index, delta: change });
}

export function textDelta(index: number, text: string): string {
  return delta(index, { type: 'text_delta', text });
}

export function inputDelta(index: number, piece: string): string {
  return delta(index, { type: 'input_json_delta', partial_json: piece });
}

export function stopBlock(index: number): string {
  return event({ type: 'content_block_stop', index });
}

export function endMessage(
  reason: string | null,
  sequence: string | null = null,
  usage: Json = { output_tokens: 5 },
): string {
  return event({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: sequence }, usage });
}

export const emptyText: JsonObject = { type: 'text', text: '' };

/** A whole answer of one text block, one event in each packet. */
export function textAnswer(...texts: readonly string[]): { readonly steps: readonly string[] } {
  return {
    steps: [
      startMessage(),
      startBlock(0, emptyText),
      ...texts.map((text) => textDelta(0, text)),
      stopBlock(0),
      endMessage('end_turn'),
      stopMessage,
    ],
  };
}
