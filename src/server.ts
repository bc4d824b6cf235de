import type { Config } from './kernel/config.ts';
import type { Feature, Overrides, Services } from './kernel/feature.ts';
import { openServer as open, openServices as openSome, type Server } from './kernel/serve.ts';
import { feature as accounts } from './features/accounts/feature.ts';
import { feature as agent } from './features/agent/feature.ts';
import { feature as chat } from './features/chat/feature.ts';
import { feature as client } from './features/client/feature.ts';
import { feature as console } from './features/console/feature.ts';
import { feature as decisions } from './features/decisions/feature.ts';
import { feature as embeddings } from './features/embeddings/feature.ts';
import { feature as jobs } from './features/jobs/feature.ts';
import { feature as mcp } from './features/mcp/feature.ts';
import { feature as models } from './features/models/feature.ts';
import { feature as router } from './features/router/feature.ts';
import { feature as sandbox } from './features/sandbox/feature.ts';
import { feature as search } from './features/search/feature.ts';
import { feature as service } from './features/service/feature.ts';
import { feature as skills } from './features/skills/feature.ts';
import { feature as verification } from './features/verification/feature.ts';
import { feature as tools } from './features/tools/feature.ts';
import { feature as corpus } from './features/index/feature.ts';

/** All features, each after what it needs: opened in this order, closed in reverse. */
export const features: readonly Feature[] = [
  accounts,
  models,
  decisions,
  embeddings,
  search,
  skills,
  sandbox,
  tools,
  verification,
  agent,
  jobs,
  chat,
  router,
  corpus,
  client,
  mcp,
  console,
  service,
];

/** Opens a server, which does not listen yet. */
export function openServer(config: Config, overrides: Overrides): Promise<Server> {
  return open(features, config, overrides);
}

/** Opens some services and what they need, without a port. */
export function openServices(
  wanted: readonly (keyof Services)[],
  config: Config,
  overrides: Overrides,
): Promise<Services & { close(): Promise<void> }> {
  return openSome(features, wanted, config, overrides);
}
