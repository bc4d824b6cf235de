import { Type } from 'typebox';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import { defineOperation, ok, type Bucket, type Operation } from '../../../../kernel/http/operation.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { AnyObject, Nullable, Open } from '../../../../kernel/kit/schema.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import { replyWith, startRun } from '../start.ts';
import { toFault } from './error.ts';
import { OpenAiResponseEvents } from './events.ts';
import { onOpenAi } from './lifecycle.ts';
import { findModel, readItems } from './request.ts';
import { OpenAiCompaction } from './schema.ts';
import { seal } from './sealed.ts';

const CompactRequest = Open(
  {
    model: Type.String(),
    input: Nullable(Type.Union([Type.String(), Type.Array(AnyObject)])),
    instructions: Nullable(Type.String()),
    previous_response_id: Nullable(Type.String()),
  },
  { input: 'What is to be made shorter.', instructions: 'Those under which the conversation goes on.' },
);
const known: ReadonlySet<string> = new Set(Object.keys(CompactRequest.properties));

const instructions =
  'You make a conversation shorter, so that another assistant can go on with it. Write down the task, what was decided ' +
  'and why, what was done, the files, names, numbers and errors that matter, and what is left to do. Leave out everything else.';
const question = 'Sum up the conversation above, as you were told. Answer with the summary alone.';

/** `POST /openai/v1/responses/compact`: a long conversation as messages of the user and a summary of the rest. */
export function compactOperation(settings: Settings, buckets: readonly Bucket[]): Operation<Services> {
  return defineOperation({
    ...onOpenAi,
    id: 'compactOpenAiResponse',
    summary: 'Makes a conversation shorter',
    method: 'POST',
    paths: ['/openai/v1/responses/compact'],
    buckets,
    body: { schema: CompactRequest, bytesMax: conversationBytesMax },
    responses: { 200: OpenAiCompaction },
    async handle(call, services: Services) {
      const { body, signal } = call;
      const asked = { role: 'user', content: question };
      const items = itemsOf(body.input ?? []);
      const started: { encoder?: OpenAiResponseEvents } = {};
      const live = await startRun(call, services, settings, {
        request: {
          model: findModel(body.model, services.models),
          input: [...items, asked],
          instructions: withContext(body.instructions ?? ''),
          previous_response_id: body.previous_response_id ?? null,
          store: false,
        },
        operation: 'compactOpenAiResponse',
        toItems: (sent) => readItems(sent, settings.tools).items,
        encode: (parts) =>
          (started.encoder = new OpenAiResponseEvents({
            ...parts,
            echo: {},
            calls: new Map(),
            approvals: new Set(),
            showsFiles: false,
            showsReasoning: false,
            seals: false,
          })),
      });
      await replyWith(live, {}, signal);
      const { encoder } = started;
      if (encoder === undefined || encoder.failure !== null)
        throw toFault(encoder?.failure ?? 'server_restarted');
      const { id, created_at, output, usage } = encoder.response() as Answered;
      const text = output.flatMap(({ content = [] }) => content.map((part) => part.text)).join('\n');
      if (text.trim() === '') throw new Fault('model_no_answer');
      const ignored = Object.keys(body).filter((name) => !known.has(name));
      const item = {
        type: 'compaction',
        id: `cmp_${services.ids.uuid()}`,
        encrypted_content: seal({ kind: 'summary', text }),
      };
      const kept = items.filter((one) => isJsonObject(one) && one['role'] === 'user');
      return ok(
        { id, object: 'response.compaction', created_at, output: [...kept.map(toMessage), item], usage },
        toIgnoredHeader(ignored),
      );
    },
  });
}

interface Answered {
  readonly id: string;
  readonly created_at: number;
  readonly output: readonly { readonly content?: readonly { readonly text: string }[] }[];
  readonly usage: object;
}

const itemsOf = (input: string | readonly Json[]): readonly Json[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : input;

function withContext(own: string): string {
  return own === ''
    ? instructions
    : `${instructions}\n\nThe assistant works under these instructions:\n${own}`;
}

function toMessage(item: Json): Json {
  if (!isJsonObject(item)) return item;
  const { content = '' } = item;
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { ...item, type: 'message', status: 'completed', content: parts };
}
