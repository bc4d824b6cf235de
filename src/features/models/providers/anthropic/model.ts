import type { Ids } from '../../../../kernel/kit/ids.ts';
import { isJsonObject } from '../../../../kernel/kit/json.ts';
import type { Model } from '../../model.ts';
import { countRequestTokens, estimateRequestTokens } from '../../token-estimate.ts';
import { toCountRequest, toRequest } from './request.ts';
import { MessageReader } from './response.ts';
import type { Server } from './server.ts';
import { readAnswer } from './stream.ts';
import { endpointOf } from '../../remote-server.ts';
import { StopSequenceFilter } from '../../stop-sequence-filter.ts';
import type { Traits } from './traits.ts';

const countTimeoutMs = 10_000;

export function createModel(name: string, listed: Traits, server: Server, ids: Ids): Model {
  // False once the server has shown that it counts no tokens, as most that only imitate the wire.
  let counts = true;
  return {
    name,
    capabilities: {
      tools: true,
      jsonSchema: listed.jsonSchema,
      images: listed.images,
      documents: listed.documents,
      reasoning: listed.thinking.adaptive || listed.thinking.enabled,
      prefill: listed.prefill,
      promptCache: listed.promptCache,
      messagesFields: listed.messagesFields,
      generates: true,
    },
    contextTokensMax: listed.contextTokensMax,
    outputTokensMax: listed.outputTokensMax,
    stream: (request, signal) =>
      readAnswer(async () => {
        const { chunks, progress, request: sent } = await server.stream(name, listed, request, signal);
        const { answerTool } = sent;
        return {
          chunks,
          progress,
          reader: new MessageReader(answerTool, ids),
          // Stop sequences end texts, not the input of a tool.
          filter: new StopSequenceFilter(answerTool === null ? request.stop : []),
          estimateInput: () => estimateRequestTokens(request),
        };
      }),
    async countTokens(request, signal) {
      if (!counts) return countRequestTokens(request, signal);
      const body = toCountRequest(toRequest(name, server.traitsFor(name, listed), request));
      const url = endpointOf(server.baseUrl, '/messages/count_tokens');
      const outcome = await server.call(url, JSON.stringify(body), countTimeoutMs, signal);
      if (outcome.ok) {
        const count = isJsonObject(outcome.body) ? outcome.body['input_tokens'] : null;
        if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
      } else if (outcome.failure !== 'status' || ![404, 405, 501].includes(outcome.status ?? 0)) {
        throw server.faultOf(outcome);
      }
      counts = false;
      return countRequestTokens(request, signal);
    },
  };
}
