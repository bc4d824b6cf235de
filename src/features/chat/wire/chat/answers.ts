import type { ChatEvent } from '../../events.ts';
import type { Fault } from '../../../../kernel/faults.ts';
import { toErrorBody, type Surface } from '../../../../kernel/http/error-dialects.ts';
import {
  accountOf,
  ok,
  stream,
  type Bucket,
  type Call,
  type Reply,
} from '../../../../kernel/http/operation.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import { chatModelsOf } from '../chat-models.ts';
import { ChatRecord } from '../chat-record.ts';
import { createChatRequests, type ChatServices } from '../chat-request.ts';
import type { ChatRequest } from '../chat-schema.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { ConciseStream, doneEvent, FullStream, type ChatStream } from './streams.ts';

/** Chat with sources, on every surface that takes its names. */
export function createChatAnswers(settings: Settings) {
  const models = chatModelsOf(settings);
  const requests = createChatRequests(settings);
  return {
    buckets: [...new Set([...models.values()].map(({ bucket }) => bucket))],
    /** Null for a name that is none of chat. */
    bucketOf: (name: string): Bucket | null => models.get(name)?.bucket ?? null,
    async answer(
      { body, principal, signal }: Pick<Call<ChatRequest>, 'body' | 'principal' | 'signal'>,
      services: ChatServices,
      surface: Surface,
    ): Promise<Reply> {
      const caller = { account: accountOf(principal), signal };
      const checked = await requests.check(body, services, caller);
      const { head, question } = await requests.open(body, checked, services, caller);
      const record = new ChatRecord(head);
      const events = services.chat.answer(question, signal);
      if (body.stream !== true) {
        for await (const batch of events) for (const event of batch) record.push(event);
        return ok(record.toResponse(), toHeaders(record), record.billing());
      }
      const converter = body.stream_mode === 'concise' ? new ConciseStream(record) : new FullStream(record);
      const billing = () => record.billing();
      return stream(toBatches(events, converter), toErrorEvents(surface), {
        billing,
        // The search is mostly over when a stream begins.
        headersThen: () => toHeaders(record),
      });
    },
  };
}

const toHeaders = ({ grounding }: ChatRecord) => grounding.engines?.toHeaders() ?? {};

/** Batches that say nothing are left out: the first that says something begins the reply. */
async function* toBatches(
  events: AsyncIterable<readonly ChatEvent[]>,
  converter: ChatStream,
): AsyncGenerator<readonly ServerSentEvent[]> {
  for await (const batch of events) {
    const out = converter.push(batch);
    if (out.length > 0) yield out;
  }
}

function toErrorEvents(surface: Surface) {
  return (fault: Fault, requestId: string): readonly ServerSentEvent[] => [
    { data: JSON.stringify(toErrorBody(surface, fault, requestId)) },
    doneEvent,
  ];
}
