import type { Operation } from '../http/operation.ts';
import { decisionOperations } from './decisions/operation.ts';
import { modelOperations } from './models/operation.ts';
import { openAiDecisionOperations } from './openai-decisions/operation.ts';
import type { Services, Settings } from './services.ts';
import { serviceOperations } from './service/operation.ts';
import { tokenOperations } from './tokens/operation.ts';

/** Every operation of the API. What is not in this list does not exist. */
export function operations(settings: Settings): readonly Operation<Services>[] {
  return [
    ...decisionOperations(settings),
    ...openAiDecisionOperations(settings),
    ...modelOperations(settings),
    ...tokenOperations,
    ...serviceOperations(settings),
  ];
}
