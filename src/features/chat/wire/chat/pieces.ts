import type { ChatEvent } from '../../events.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import type { ChatRecord } from '../chat-record.ts';

/** Turns the events of one answer into what is sent, batch by batch. */
export interface ChatStream {
  push(batch: readonly ChatEvent[]): readonly ServerSentEvent[];
}

export const doneEvent: ServerSentEvent = { data: '[DONE]' };

/** The inside of a JSON string. Halves of a pair stay halves, and are one again when they stand together. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The beginning of every chunk, without its end. */
export function headOf({ head }: ChatRecord): string {
  const { id, modelName, created } = head;
  return JSON.stringify({ id, model: modelName, created }).slice(0, -1);
}

/** A piece of a call; the first one has its name. */
export function toCallPiece(
  index: number,
  args: string,
  start?: Extract<ChatEvent, { readonly type: 'call-start' }>,
): string {
  if (start === undefined) return JSON.stringify({ index, function: { arguments: args } });
  const { callId: id, name } = start;
  return JSON.stringify({ index, id, type: 'function', function: { name, arguments: args } });
}
