import { decide } from '../../decide.ts';
import { readState } from '../../read-state.ts';
import {
  defineOperation,
  ok,
  type Call,
  type Operation,
  type Reply,
} from '../../../../kernel/http/operation.ts';
import { decisionBilling, decisionBucket, decisionBytesMax, toDecider } from '../deciders.ts';
import { accountOf } from '../../../../kernel/http/caller.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { fromDecision, toQuestions } from './convert.ts';
import { DecisionsRequest, DecisionsResponse, SystemOneRequest } from './schema.ts';

/** `POST /v1/decisions` and `POST /v1/systemone`: one engine, two wires that differ in small things. Contract 6. */
export function decisionOperations(settings: Settings): readonly Operation<Services>[] {
  const common = {
    group: 'decisions',
    method: 'POST',
    credentials: 'bearer',
    buckets: [decisionBucket],
    responses: { 200: DecisionsResponse },
    timeoutMs: settings.decisions.timeoutMs,
    handle: (call: Call<DecisionsRequest>, services: Services) => answer(call, services, settings),
  } as const;
  return [
    defineOperation({
      ...common,
      id: 'createDecision',
      isBilled: true,
      summary: 'Answers named questions about a state with probabilities',
      paths: ['/v1/decisions'],
      surface: 'decisions',
      body: { schema: DecisionsRequest(settings), bytesMax: decisionBytesMax },
    }),
    defineOperation({
      ...common,
      id: 'createSystemOne',
      isBilled: true,
      summary: 'The same answers for System One clients',
      paths: ['/v1/systemone'],
      surface: 'systemone',
      body: { schema: SystemOneRequest(settings), bytesMax: decisionBytesMax },
    }),
  ];
}

async function answer(
  { body, principal, signal }: Call<DecisionsRequest>,
  services: Services,
  settings: Settings,
): Promise<Reply> {
  const decider = toDecider(services, settings, body.model);
  const { engine } = decider;
  const questions = toQuestions(body);
  const state = await readState(body.state ?? '', 'state', signal);
  const decision = await decide(engine, settings.decisions, state, questions, signal, {
    account: accountOf(principal),
  });
  const headers = { 'x-nestor-engine': engine.name };
  return ok(fromDecision(body, questions, decision), headers, decisionBilling(settings, decider, decision));
}
