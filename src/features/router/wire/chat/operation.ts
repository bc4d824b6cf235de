import type { Settings } from '../../../../kernel/feature.ts';
import { defineOperation, type Operation } from '../../../../kernel/http/operation.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import type { RouterServices } from '../router.ts';
import { routerBuckets, routerCommon } from '../router.ts';
import { createModelChat } from './answer-chat.ts';
import { RouterChatRequest, RouterChatResponse } from './schema.ts';

/** `POST /router/v1/chat/completions`: the common protocol for any model of the router. Contract 14.6. */
export function routerChatOperations(settings: Settings): readonly Operation<RouterServices>[] {
  const chat = createModelChat();
  return [
    defineOperation({
      ...routerCommon,
      id: 'createRouterChatCompletion',
      isBilled: true,
      summary: 'Completes a chat with any model of the router, without search',
      method: 'POST',
      paths: ['/router/v1/chat/completions'],
      surface: 'router',
      buckets: routerBuckets,
      body: { schema: RouterChatRequest, bytesMax: conversationBytesMax },
      responses: { 200: RouterChatResponse },
      timeoutMs: settings.router.timeoutMs,
      handle: (call, services: RouterServices) => chat.answer(call, services, { surface: 'router' }),
    }),
  ];
}
