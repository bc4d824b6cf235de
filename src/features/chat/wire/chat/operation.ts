import type { ChatEvent } from '../../events.ts';
import type { Fault } from '../../../../kernel/faults.ts';
import { toErrorBody } from '../../../../kernel/http/error-dialects.ts';
import { accountOf, defineOperation, ok, stream, type Operation } from '../../../../kernel/http/operation.ts';
import { isJsonObject } from '../../../../kernel/kit/json.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import { chatModelsOf, familiesOf } from '../chat-models.ts';
import { ChatRecord } from '../chat-record.ts';
import { chatBytesMax, createChatRequests, type ChatServices } from '../chat-request.ts';
import { ChatResponse } from '../chat-response.ts';
import { ChatRequest } from '../chat-schema.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { ConciseStream, doneEvent, FullStream, type ChatStream } from './streams.ts';

/** `POST /chat/completions`: answers from what a search finds. Contract 9. */
export function chatOperations(settings: Settings): readonly Operation<ChatServices>[] {
  const models = chatModelsOf(settings);
  const requests = createChatRequests(settings);
  return [
    defineOperation({
      id: 'createChatCompletion',
      isBilled: true,
      summary: 'Answers a conversation from what a search finds, with citations',
      group: 'chat',
      method: 'POST',
      paths: [
        '/chat/completions',
        '/v1/chat/completions',
        '/openai/v1/chat/completions',
        ...familiesOf(settings).map((name) => `/v1/${name}`),
      ],
      surface: 'chat',
      credentials: 'bearer',
      buckets: [],
      bodyBuckets: {
        buckets: [...new Set([...models.values()].map(({ bucket }) => bucket))],
        when: 'parsed',
        of(body) {
          const name = isJsonObject(body) ? body['model'] : undefined;
          const model = typeof name === 'string' ? models.get(name) : undefined;
          return model === undefined ? null : { buckets: [model.bucket], cost: 1 };
        },
      },
      body: { schema: ChatRequest(settings), bytesMax: chatBytesMax },
      responses: { 200: ChatResponse },
      timeoutMs: settings.chat.timeoutMs,
      async handle({ body, principal, signal }, services: ChatServices) {
        const caller = { account: accountOf(principal), signal };
        const checked = await requests.check(body, services.structured, caller);
        const { head, question } = await requests.open(body, checked, services, caller);
        const record = new ChatRecord(head);
        const events = services.chat.answer(question, signal);
        if (body.stream !== true) {
          for await (const batch of events) for (const event of batch) record.push(event);
          return ok(record.toResponse(), {}, record.billing());
        }
        const converter = body.stream_mode === 'concise' ? new ConciseStream(record) : new FullStream(record);
        return stream(toBatches(events, converter), toErrorEvents, { billing: () => record.billing() });
      },
    }),
  ];
}

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

function toErrorEvents(fault: Fault, requestId: string): readonly ServerSentEvent[] {
  return [{ data: JSON.stringify(toErrorBody('chat', fault, requestId)) }, doneEvent];
}
