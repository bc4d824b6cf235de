import { createConfiguration, type Configuration, type FeatureConfig } from './kernel/config.ts';
import { accountConfig } from './features/accounts/config.ts';
import { agentKeys } from './features/agent/config.ts';
import { chatKeys } from './features/chat/config.ts';
import { decisionConfig } from './features/decisions/config.ts';
import { decisionEngines } from './features/decisions/engines/index.ts';
import { embeddingConfig } from './features/embeddings/config.ts';
import { embeddingEngines } from './features/embeddings/engines/index.ts';
import { indexConfig } from './features/index/config.ts';
import { jobKeys } from './features/jobs/config.ts';
import { modelConfig } from './features/models/config.ts';
import { modelProviders } from './features/models/providers/index.ts';
import { routerKeys } from './features/router/config.ts';
import { sandboxKeys } from './features/sandbox/config.ts';
import { sandboxRunners } from './features/sandbox/runners/index.ts';
import { searchKeys } from './features/search/config.ts';
import { searchEngines } from './features/search/engines/index.ts';
import { financeSources } from './features/search/finance/index.ts';
import { skillKeys } from './features/skills/config.ts';
import { toolConfig } from './features/tools/config.ts';
import { verificationKeys } from './features/verification/config.ts';

/**
 * What the features declare, in the order of `server.ts`. Apart from them: a server is a thousand modules more, which a
 * command on the store or on the configuration never loads. A test compares.
 */
export const featureConfigs: readonly FeatureConfig[] = [
  accountConfig,
  modelConfig(modelProviders),
  decisionConfig(decisionEngines),
  embeddingConfig(embeddingEngines),
  { keys: searchKeys(searchEngines, financeSources) },
  { keys: skillKeys },
  { keys: sandboxKeys(sandboxRunners) },
  toolConfig,
  { keys: verificationKeys },
  { keys: agentKeys },
  { keys: jobKeys },
  { keys: chatKeys },
  { keys: routerKeys },
  indexConfig,
];

/** Keys of the configuration in print order; others follow. */
const keyOrder = `
  host port data database redis public_url family aliases drain_s shutdown_grace_s log metrics cors admin_key
  keys rate_limits accounts prices providers detect models agent chat verification async ledger router skills
  decisions embeddings search index outbound sandbox
`;

export const configuration: Configuration = createConfiguration(featureConfigs, keyOrder.trim().split(/\s+/));
