import { openUpstreams, type UpstreamsOptions } from '../../../../kernel/kit/upstreams.ts';
import type { DecisionEngine, Distribution, NormalizedQuestion } from '../../engine.ts';
import { estimateTokens, modelsOf, toFault } from '../../upstream.ts';
import { endpointOf, probe, toRequest } from './request.ts';

/**
 * Forwards decisions to servers with the System One interface: SGLang, Ollama, a hosted service, another Nestor. Their
 * addresses may end in `/v1` or `/v1/systemone`. Answers are checked and renormalised, never trusted.
 *
 * `countTokens` is an estimate by words, because an upstream reports its count only afterwards, and for its own prompt.
 */
export async function openSystemOneEngine(options: UpstreamsOptions): Promise<DecisionEngine> {
  const upstreams = openUpstreams<readonly Distribution[]>(options, {
    endpointOf,
    probe,
    responseBytesMax: 16_777_216,
  });
  return {
    name: 'systemone',
    vision: true,
    health: upstreams.health,
    countTokens: (state, questions) => Promise.resolve(estimateTokens(state, questions)),
    async score(state, questions, signal, account) {
      const answers = chunksOf(questions).map((chunk) =>
        upstreams.ask(toRequest(state, chunk), { signal, account, toFault }),
      );
      return (await Promise.all(answers)).flat();
    },
    fingerprint: async () => modelsOf(options.upstreams),
    close: () => upstreams.close(),
  };
}

/** Most questions of one request in the protocol. Orders and negation can turn one request into more. */
const questionsPerRequest = 128;

function chunksOf(questions: readonly NormalizedQuestion[]): (readonly NormalizedQuestion[])[] {
  return Array.from({ length: Math.ceil(questions.length / questionsPerRequest) }, (_, index) =>
    questions.slice(index * questionsPerRequest, (index + 1) * questionsPerRequest),
  );
}
