import type { Ids } from '../../../../kernel/kit/ids.ts';
import type { Capabilities, Model } from '../../model.ts';
import { countRequestTokens, estimateRequestTokens } from '../../token-estimate.ts';
import { countTokens } from './count-tokens.ts';
import type { ListedModel } from './listing.ts';
import type { Quirks } from './quirks.ts';
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
        const {
          chunks,
          progress,
          request: sent,
        } = await server.stream(name, request, outputTokensMax, signal);
        const reader = new ResponseReader({
          stop: request.stop,
          thinkTags: sent.quirks.thinkTags,
          estimateInput: () => estimateRequestTokens(request),
          ids,
        });
        return { chunks, progress, reader };
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
    generates: true,
  };
}
