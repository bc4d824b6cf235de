import { defineOperation, type Call, type Operation } from '../../../../kernel/http/operation.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import { answer, decisionBytesMax, decisionCommon, ignoredIn, resolverOf } from '../deciders.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { fromDecision, toQuestionsInSteps } from './convert.ts';
import { DecisionsRequest, DecisionsResponse, SystemOneRequest } from './schema.ts';

const questionFields = new Set(['type', 'instructions', 'criteria', 'examples']);

/**
 * `POST /v1/decisions` and `POST /v1/systemone`: one engine, two wires that differ in small things. OpenRouter has the second under
 * another path too. Contract 6 and 20.2.
 */
export function decisionOperations(settings: Settings): readonly Operation<Services>[] {
  const common = {
    ...decisionCommon(settings),
    responses: { 200: DecisionsResponse },
    async handle(call: Call<DecisionsRequest>, services: Services) {
      const { body } = call;
      const questions = await runInSlices(toQuestionsInSteps(body), call.signal);
      const toBody = (decision: Parameters<typeof fromDecision>[2]) =>
        fromDecision(body, questions, decision);
      const entry = body.state ?? '';
      const ignored = ignoredIn(body.questions, questionFields);
      const names = Object.keys(body.questions);
      return answer(call, services, settings, { ignored, names, questions, entry, param: 'state', toBody });
    },
  } as const;
  return [
    defineOperation({
      ...common,
      id: 'createDecision',
      summary: 'Answers named questions about a state with probabilities',
      paths: ['/v1/decisions'],
      surface: 'decisions',
      resolveNames: resolverOf(settings, 'decisions'),
      body: { schema: DecisionsRequest(settings), bytesMax: decisionBytesMax },
    }),
    defineOperation({
      ...common,
      id: 'createSystemOne',
      summary: 'The same answers for System One clients',
      paths: ['/v1/systemone', '/api/alpha/decisions'],
      surface: 'systemone',
      resolveNames: resolverOf(settings, 'systemone'),
      body: { schema: SystemOneRequest(settings), bytesMax: decisionBytesMax },
    }),
  ];
}
