import { defineOperation, type Operation } from '../../../../kernel/http/operation.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import { answer, decisionBytesMax, decisionCommon, ignoredIn, resolverOf } from '../deciders.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { fromDecision, toEntry, toQuestionsInSteps } from './convert.ts';
import { OpenAiDecisionRequest, OpenAiDecisionResponse } from './schema.ts';

const questionFields = new Set(['type', 'name', 'instructions', 'choices', 'levels', 'examples']);

/** `POST /openai/v1/decisions`: the shape that OpenAI's clients send, answered by the same engine. Contract 6.8. */
export function openAiDecisionOperations(settings: Settings): readonly Operation<Services>[] {
  return [
    defineOperation({
      ...decisionCommon(settings),
      id: 'createOpenAiDecision',
      summary: 'The same answers in the shape of OpenAI clients',
      paths: ['/openai/v1/decisions'],
      surface: 'decisions',
      resolveNames: resolverOf(settings, 'decisions'),
      body: { schema: OpenAiDecisionRequest(settings), bytesMax: decisionBytesMax },
      responses: { 200: OpenAiDecisionResponse },
      async handle(call, services: Services) {
        const { body } = call;
        const questions = await runInSlices(toQuestionsInSteps(body.questions), call.signal);
        return answer(call, services, settings, {
          ignored: ignoredIn(body.questions, questionFields),
          names: Object.keys(body.questions),
          questions,
          entry: toEntry(body.input),
          param: 'input',
          toBody: (decision) => fromDecision(body, decision),
        });
      },
    }),
  ];
}
