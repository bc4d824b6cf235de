import { definitions } from '../../src/features/tools/index.ts';
import { ToolSet } from '../../src/features/tools/tool-set.ts';
import type { Settings } from '../../src/kernel/feature.ts';

/** What `openServer` makes of an empty configuration. */
export const settings: Settings = {
  version: '0.0.0',
  family: 'svc',
  publicUrl: null,
  corsOrigins: [],
  priceOf: () => undefined,
  admin: false,
  decisions: {
    served: ['svc-decider-v1-27b'],
    compared: [],
    shipped: ['words', 'encoder'],
    inputTokensMax: 262_144,
    timeoutMs: 60_000,
    priceUsdPerMillion: 0.04,
    batchBytesMax: 1_073_741_824,
  },
  agent: {
    roles: { fast: 'svc/svc', main: 'svc/svc', deep: 'svc/svc' },
    timeoutMs: 900_000,
    fetch: 'any',
    verify: 'off',
  },
  router: { lenient: false, timeoutMs: 900_000, defaultModel: null },
  chat: { timeoutMs: 900_000, lenientRoles: false, citations: true },
  tools: new ToolSet(definitions),
  aliases: { upstream: true, models: {} },
};
