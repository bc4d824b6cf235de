import type { Settings } from '../../../../kernel/feature.ts';
import type { Call, Principal } from '../../../../kernel/http/operation.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { emptyRequest, fetchRemotes, type ModelRequest } from '../../../models/feature.ts';
import { remotesOf } from '../messages/blocks.ts';
import { toTurns } from '../messages/convert.ts';
import { readDocuments } from '../messages/documents.ts';
import { checkCapabilities, openCall, type RouterServices } from '../router.ts';
import type { Signatures } from '../signatures.ts';
import { Ignored } from './ignored.ts';
import { needModel } from './model-name.ts';
import { readConversation } from './read-messages.ts';
import type { AnthropicCountRequest, AnthropicMessageRequest } from './schema.ts';
import { toFormat, toMessagesFields, toReasoning } from './settings.ts';
import { planTools } from './tools.ts';

type Sent = Pick<Call, 'headers' | 'signal'> & {
  readonly body: AnthropicCountRequest & Partial<AnthropicMessageRequest>;
  readonly principal: Principal | null;
};

/** The request for a model, with what the reply has to know of it. Throws Fault. */
export async function openRequest(
  { body, headers, principal, signal }: Sent,
  services: RouterServices,
  signatures: Signatures,
  { router: { defaultModel } }: Settings,
) {
  if (body.thread?.type === 'continue') throw new Fault('thread_unsupported', undefined, { param: 'thread' });
  const { name, entry } = needModel(body.model, services.models, defaultModel);
  const { caller, ...ids } = openCall(entry, principal, signal, services, signatures);
  const ignored = new Ignored();
  const { messages, system, systemCache, toolChanges } = readConversation(body, ignored);
  const { capabilities } = entry;
  const media = await fetchRemotes(remotesOf(messages), services.fetchMedia, caller);
  const texts = capabilities.documents
    ? new Map()
    : await readDocuments(messages, media, services.pages, caller);
  const reading = { media, texts, marks: ignored.marks, findSignature: ids.findSignature };
  const reasoning = toReasoning(body);
  if (!capabilities.reasoning && reasoning.effort !== null)
    ignored.add(body.thinking ? 'thinking' : 'output_config.effort');
  const request: ModelRequest = {
    ...emptyRequest,
    account: caller.account,
    system,
    systemCache,
    turns: toTurns(messages, reading),
    ...planTools({ ...body, tools: toolChanges.applyTo(body.tools ?? []) }, ignored),
    format: toFormat(body),
    outputTokensMax: body.max_tokens ?? null,
    stop: body.stop_sequences ?? [],
    temperature: body.temperature ?? null,
    topP: body.top_p ?? null,
    topK: body.top_k ?? null,
    // A model that does not reason may refuse the setting.
    ...(capabilities.reasoning && reasoning),
    messagesFields: toMessagesFields(body, headerOf(headers['anthropic-beta']), ignored),
  };
  checkCapabilities(entry, request);
  return { name, entry, caller, ids, ignored, request };
}

function headerOf(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
