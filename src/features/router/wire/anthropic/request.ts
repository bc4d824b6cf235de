import type { Settings } from '../../../../kernel/feature.ts';
import type { Call, Principal } from '../../../../kernel/http/operation.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { emptyRequest, fetchRemotes, type ModelRequest, type Turn } from '../../../models/feature.ts';
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
import { splitTools } from './served/plan.ts';
import { planTools, withServed } from './tools.ts';

type Sent = Pick<Call, 'headers' | 'signal'> & {
  readonly body: AnthropicCountRequest & Partial<AnthropicMessageRequest>;
  readonly principal: Principal | null;
};

/** The request for a model, with what the reply has to know of it. Throws Fault. */
export async function openRequest(
  { body, headers, principal, signal }: Sent,
  services: RouterServices,
  signatures: Signatures,
  settings: Settings,
) {
  if (body.thread?.type === 'continue') throw new Fault('thread_unsupported', undefined, { param: 'thread' });
  const { name, entry } = needModel(body.model, services.models, settings.router.defaultModel);
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
  const turns = toTurns(messages, reading);
  const sent = toolChanges.applyTo(body.tools ?? []);
  const { served, others } = splitTools(sent, textsOf(turns), services, settings, ignored);
  const { choice, ...plan } = withServed(
    served?.names ?? null,
    body.tool_choice ?? undefined,
    (tool_choice) => planTools({ tool_choice, tools: others }, ignored),
  );
  const request: ModelRequest = {
    ...emptyRequest,
    account: caller.account,
    system,
    systemCache,
    turns,
    ...plan,
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
  return { name, entry, caller, ids, ignored, request, served, choice };
}

/** What the caller and results said, whose addresses may be read. */
function textsOf(turns: readonly Turn[]): readonly string[] {
  const parts = turns.flatMap((turn) => {
    if (turn.role === 'user') return turn.parts;
    return turn.role === 'tool' ? turn.results.flatMap((result) => result.parts) : [];
  });
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

function headerOf(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
