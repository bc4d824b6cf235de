import type { Operation } from '../http/operation.ts';
import { accountOperations } from './account/operation.ts';
import { adminOperations } from './admin/operation.ts';
import { adminIndexOperations } from './admin-index/operation.ts';
import { agentOperations } from './agent/operation.ts';
import { asyncOperations } from './async/operation.ts';
import { chatOperations } from './chat/operation.ts';
import { consolePages } from './console/operation.ts';
import { systemOneModels } from './deciders.ts';
import { decisionOperations } from './decisions/operation.ts';
import { documentationOperations } from './documentation/operation.ts';
import { embeddingOperations } from './embeddings/operation.ts';
import { jobOperations } from './jobs/operation.ts';
import { mcpOperations } from './mcp/operation.ts';
import { modelOperations } from './models/operation.ts';
import { openAiDecisionOperations } from './openai-decisions/operation.ts';
import { routerChatOperations } from './router-chat/operation.ts';
import { routerMessagesOperations } from './router-messages/operation.ts';
import { routerModelsOperations } from './router-models/operation.ts';
import { searchOperations } from './search/operation.ts';
import type { Services, Settings } from './services.ts';
import { skillOperations } from './skills/operation.ts';
import { serviceOperations } from './service/operation.ts';
import { tokenOperations } from './tokens/operation.ts';

/** Every operation of the API, as it is published. */
export function operations(settings: Settings): readonly Operation<Services>[] {
  return [
    ...decisionOperations(settings),
    ...agentOperations(settings),
    ...openAiDecisionOperations(settings),
    ...embeddingOperations(settings),
    ...chatOperations(settings),
    ...asyncOperations(settings),
    ...searchOperations(settings),
    ...modelOperations(systemOneModels(settings)),
    ...skillOperations(settings),
    ...routerMessagesOperations(settings),
    ...routerChatOperations(settings),
    ...routerModelsOperations,
    ...tokenOperations,
    ...accountOperations,
    ...jobOperations(settings),
    ...adminOperations(settings),
    ...adminIndexOperations(settings),
    ...mcpOperations(settings),
    ...documentationOperations,
    ...serviceOperations(settings),
  ];
}

/** What is served to people's browsers and is no operation of the API. With `operations`, that is all there is. */
export const pages: readonly Operation<Services>[] = consolePages;
