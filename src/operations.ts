import type { Operation } from './kernel/http/operation.ts';
import { accountOperations } from './features/accounts/wire/account/operation.ts';
import { adminOperations } from './features/accounts/wire/admin/operation.ts';
import { adminIndexOperations } from './features/index/wire/admin/operation.ts';
import { agentOperations } from './features/agent/wire/operation.ts';
import { asyncOperations } from './features/chat/wire/async/operation.ts';
import { chatOperations } from './features/chat/wire/chat/operation.ts';
import { consolePages } from './features/console/wire/operation.ts';
import { systemOneModels } from './features/decisions/wire/deciders.ts';
import { decisionOperations } from './features/decisions/wire/decisions/operation.ts';
import { documentationOperations } from './features/service/wire/documentation/operation.ts';
import { embeddingOperations } from './features/embeddings/wire/operation.ts';
import { jobOperations } from './features/jobs/wire/operation.ts';
import { mcpOperations } from './features/mcp/wire/operation.ts';
import { modelOperations } from './features/models/wire/operation.ts';
import { openAiDecisionOperations } from './features/decisions/wire/openai/operation.ts';
import { routerChatOperations } from './features/router/wire/chat/operation.ts';
import { routerMessagesOperations } from './features/router/wire/messages/operation.ts';
import { routerModelsOperations } from './features/router/wire/models/operation.ts';
import { searchOperations } from './features/search/wire/operation.ts';
import type { Services, Settings } from './kernel/feature.ts';
import { skillOperations } from './features/skills/wire/operation.ts';
import { serviceOperations } from './features/service/wire/service/operation.ts';
import { tokenOperations } from './features/accounts/wire/tokens/operation.ts';

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
