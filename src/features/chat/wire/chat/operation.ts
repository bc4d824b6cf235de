import type { Settings } from '../../../../kernel/feature.ts';
import { defineOperation, type Operation } from '../../../../kernel/http/operation.ts';
import { isJsonObject } from '../../../../kernel/kit/json.ts';
import { familiesOf } from '../chat-models.ts';
import { chatBytesMax, type ChatServices } from '../chat-request.ts';
import { ChatResponse } from '../chat-response.ts';
import { ChatRequest } from '../chat-schema.ts';
import { createChatAnswers } from './answers.ts';

/** `POST /chat/completions`: answers from what a search finds. Contract 9. */
export function chatOperations(settings: Settings): readonly Operation<ChatServices>[] {
  const answers = createChatAnswers(settings);
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
        ...familiesOf(settings).map((name) => `/v1/${name}`),
      ],
      surface: 'chat',
      credentials: 'bearer',
      buckets: [],
      bodyBuckets: {
        buckets: answers.buckets,
        when: 'parsed',
        of(body) {
          const name = isJsonObject(body) ? body['model'] : undefined;
          const bucket = typeof name === 'string' ? answers.bucketOf(name) : null;
          return bucket === null ? null : { buckets: [bucket], cost: 1 };
        },
      },
      body: { schema: ChatRequest(settings), bytesMax: chatBytesMax },
      responses: { 200: ChatResponse },
      timeoutMs: settings.chat.timeoutMs,
      handle: (call, services: ChatServices) => answers.answer(call, services, 'chat'),
    }),
  ];
}
