import { countOf } from '../../../../kernel/kit/json-fields.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { Capabilities, Model, ModelRequest } from '../../model.ts';
import { countRequestTokens, estimateRequestTokens } from '../../token-estimate.ts';
import type { CallBeside } from './details.ts';
import type { ListedModel } from './listing.ts';
import { toMessages } from './messages.ts';
import type { Quirks } from './quirks.ts';
import { toFunctions } from './request.ts';
import { ResponseReader } from './response.ts';
import type { Server } from './server.ts';
import { readAnswer } from './stream.ts';

const countTimeoutMs = 10_000;

export function createModel(listed: ListedModel, server: Server, ids: Ids): Model {
  const { name, contextTokensMax, outputTokensMax } = listed;
  return {
    name,
    capabilities: capabilitiesOf(listed, server.quirksFor(name)),
    contextTokensMax,
    outputTokensMax,
    stream: (request, signal) =>
      readAnswer(async () => {
        const sent = await server.stream(name, request, outputTokensMax, signal);
        const reader = new ResponseReader({
          stop: request.stop,
          thinkTags: sent.request.quirks.thinkTags,
          functions: request.tools.map((tool) => tool.name),
          keepsReasoning: sent.request.quirks.reasoningBack,
          estimateInput: () => estimateRequestTokens(request),
          ids,
        });
        return { ...sent, reader };
      }),
    async countTokens(request, signal) {
      const call = server.callBeside(countTimeoutMs, signal);
      const count = await countTokens(name, request, server.quirksFor(name), call);
      return count ?? countRequestTokens(request, signal);
    },
  };
}

function capabilitiesOf(listed: ListedModel, quirks: Quirks): Capabilities {
  return {
    tools: listed.tools ?? true,
    jsonSchema: listed.jsonSchema ?? quirks.format === 'json_schema',
    images: listed.images ?? quirks.images,
    documents: listed.documents ?? quirks.documents,
    reasoning: listed.reasoning ?? quirks.effort !== 'none',
    prefill: quirks.prefill !== 'none',
    ...(quirks.cacheKey && { cacheKey: true }),
    generates: true,
  };
}

/** Lets the server count a request; null where it cannot, or did not this time. Unit: tokens. */
async function countTokens(
  model: string,
  { system, turns, tools }: ModelRequest,
  quirks: Quirks,
  call: CallBeside,
): Promise<number | null> {
  if (quirks.counting === null) return null;
  const prompt = {
    model,
    messages: toMessages(system, turns, quirks),
    ...(tools.length > 0 && { tools: toFunctions(tools, false) }),
  };
  if (quirks.counting === 'vllm') {
    return countOf(fieldOf(await call('/tokenize', JSON.stringify(prompt)), 'count'));
  }
  const rendered = fieldOf(await call('/apply-template', JSON.stringify(prompt)), 'prompt');
  if (typeof rendered !== 'string') return null;
  const body = { content: rendered, add_special: true, parse_special: true };
  const tokens = fieldOf(await call('/tokenize', JSON.stringify(body)), 'tokens');
  return Array.isArray(tokens) ? countOf(tokens.length) : null;
}

function fieldOf(outcome: OutboundOutcome, name: string): Json | undefined {
  return outcome.ok && isJsonObject(outcome.body) ? outcome.body[name] : undefined;
}
