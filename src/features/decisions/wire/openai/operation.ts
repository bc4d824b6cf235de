import { decide } from '../../decide.ts';
import { readState } from '../../read-state.ts';
import { defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import { accountOf } from '../../../../kernel/http/caller.ts';
import { decisionBilling, decisionBucket, decisionBytesMax, toDecider } from '../deciders.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { fromDecision, toEntry, toQuestions } from './convert.ts';
import { OpenAiDecisionRequest, OpenAiDecisionResponse } from './schema.ts';

/** `POST /openai/v1/decisions`: the shape that OpenAI's clients send, answered by the same engine. Contract 6.8. */
export function openAiDecisionOperations(settings: Settings): readonly Operation<Services>[] {
  return [
    defineOperation({
      id: 'createOpenAiDecision',
      isBilled: true,
      summary: 'The same answers in the shape of OpenAI clients',
      group: 'decisions',
      method: 'POST',
      paths: ['/openai/v1/decisions'],
      credentials: 'bearer',
      surface: 'decisions',
      buckets: [decisionBucket],
      body: { schema: OpenAiDecisionRequest(settings), bytesMax: decisionBytesMax },
      responses: { 200: OpenAiDecisionResponse },
      timeoutMs: settings.decisions.timeoutMs,
      async handle({ body, principal, signal }, services: Services) {
        const decider = toDecider(services, settings, body.model);
        const { engine } = decider;
        const questions = toQuestions(body.questions);
        const state = await readState(toEntry(body.input), 'input', signal);
        const decision = await decide(engine, settings.decisions, state, questions, signal, {
          param: 'input',
          account: accountOf(principal),
        });
        const headers = { 'x-nestor-engine': engine.name };
        return ok(fromDecision(body, decision), headers, decisionBilling(settings, decider, decision));
      },
    }),
  ];
}
