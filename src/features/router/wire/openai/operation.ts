import { Type } from 'typebox';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import { callerOf, defineOperation, type Operation } from '../../../../kernel/http/operation.ts';
import { createValidator, type Validator } from '../../../../kernel/http/validate.ts';
import { problemToFault } from '../../../../kernel/http/validation-errors.ts';
import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import { AnyObject, Open, orNull } from '../../../../kernel/kit/schema.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import { chatBytesMax, ChatRequest, createChatAnswers } from '../../../chat/feature.ts';
import { createModelChat } from '../chat/answer-chat.ts';
import { routerBuckets } from '../router.ts';
import { readChat } from './read-request.ts';

const OpenAiChatRequest = Open(
  {
    model: Type.String({ minLength: 1, errorCode: 'invalid_model' }),
    messages: Type.Array(AnyObject, { minItems: 1, errorMessage: 'messages must be a non-empty array' }),
  },
  {
    model:
      '`provider/model` or an alias: the model itself. A name of chat (`svc`, …): an answer with sources.',
    messages: 'As [the router](router.md) or [chat](chat.md) takes them.',
  },
);

const OpenAiChatResponse = Open(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(AnyObject, { minItems: 1 }),
    usage: AnyObject,
    system_fingerprint: Type.Optional(orNull(Type.String())),
  },
  { choices: 'One.', created: 'Unix seconds.' },
);

/** `POST /openai/v1/chat/completions`: any model by its name, and chat with sources by the names of chat. Contract 20.1. */
export function openAiChatOperations(settings: Settings): readonly Operation<Services>[] {
  const grounded = createChatAnswers(settings);
  const validator = createValidator(ChatRequest(settings));
  const models = createModelChat();
  return [
    defineOperation({
      id: 'createOpenAiChatCompletion',
      isBilled: true,
      summary: 'Completes a chat, for clients of OpenAI',
      group: 'chat',
      method: 'POST',
      paths: ['/openai/v1/chat/completions'],
      surface: 'openai',
      credentials: 'bearer',
      buckets: [],
      bodyBuckets: {
        buckets: [...grounded.buckets, ...routerBuckets],
        when: 'parsed',
        of(body) {
          const name = isJsonObject(body) ? body['model'] : undefined;
          const bucket = typeof name === 'string' ? grounded.bucketOf(name) : null;
          return { buckets: bucket === null ? routerBuckets : [bucket], cost: 1 };
        },
      },
      body: { schema: OpenAiChatRequest, bytesMax: chatBytesMax },
      responses: { 200: OpenAiChatResponse },
      timeoutMs: settings.router.timeoutMs,
      async handle({ body, principal, signal }, services: Services) {
        const caller = { principal, signal };
        if (grounded.bucketOf(body.model) !== null)
          return grounded.answer({ body: readGrounded(body, validator), ...caller }, services, 'openai');
        if (callerOf(principal).denied.includes('router')) throw new Fault('permission_denied');
        const entry = services.models.find(body.model);
        if (entry?.router !== true)
          throw new Fault('unknown_model', `The model '${quote(body.model)}' does not exist.`, {
            param: 'model',
          });
        const { body: read, ignored, ...more } = readChat(body as JsonObject, entry.capabilities);
        const form = { surface: 'openai', headers: toIgnoredHeader(ignored), ...more } as const;
        return models.answer({ body: read, ...caller }, services, form);
      },
    }),
  ];
}

/** A request for chat with sources. Throws Fault as its schema says. */
function readGrounded(body: object, validator: Validator): ChatRequest {
  const problem = validator.explain(body);
  if (problem !== null) throw problemToFault('openai', problem);
  // What was explained to be none has no problem.
  return body as ChatRequest;
}
