import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openModels } from '../../src/features/models/open-models.ts';
import { openAnthropic } from '../../src/features/models/providers/anthropic/index.ts';
import { openOpenAiCompatible } from '../../src/features/models/providers/openai-compatible/index.ts';
import type { Provider } from '../../src/features/models/model.ts';
import type { BackendFailure } from '../../src/features/models/registry.ts';
import { startRouter, type TestRouter } from './router.ts';
import type { TestScope } from './server.ts';
import { startMessagesTalker, startOpenAiTalker, type TalkOptions, type Talker } from './upstream-talk.ts';

export interface Gateway extends TestRouter {
  /** What the registry gave up on. */
  readonly givenUp: readonly BackendFailure[];
}

/** The router over real providers and the real registry, every model of theirs offered by its name. */
export async function startGateway(
  t: TestScope,
  providers: readonly Provider[],
  defaultModel: string | null = null,
): Promise<Gateway> {
  const givenUp: BackendFailure[] = [];
  const models = openModels({
    settings: {
      family: 'svc',
      aliases: { upstream: true, models: {} },
      models: {},
      prices: {},
      balance: 'auto' as const,
      providers: [],
    },
    fallback: null,
    clock: systemClock,
    onBackendFailure: (given) => void givenUp.push(given),
  });
  for (const [place, provider] of providers.entries()) {
    models.add({ provider, asked: false, prefer: null }, place);
  }
  const router = await startRouter(t, { models, defaultModel });
  t.after(() => models.close());
  return { ...router, givenUp };
}

const timeoutMs = 10_000;
const common = {
  key: 'upstream-key',
  headers: {},
  models: ['talker'],
  timeoutMs,
  totalTimeoutMs: 900_000,
} as const;

export function toOpenAi(name: string, baseUrl: string): Provider {
  return openOpenAiCompatible({ ...common, name, baseUrl }, { clock: systemClock, ids: randomIds });
}

export function toAnthropic(name: string, baseUrl: string): Provider {
  return openAnthropic({ ...common, name, baseUrl }, { clock: systemClock, ids: randomIds });
}

export interface Backend {
  readonly about: string;
  /** Names the model that it runs. */
  readonly model: string;
  readonly start: (
    t: TestScope,
    options: TalkOptions,
  ) => Promise<{ readonly talker: Talker; readonly gateway: Gateway }>;
}

/** The router over each wire that a backend may speak. */
export const backends: readonly Backend[] = [
  {
    about: 'over chat completions',
    model: 'lab/talker',
    async start(t, options) {
      const talker = await startOpenAiTalker(t, options);
      return { talker, gateway: await startGateway(t, [toOpenAi('lab', talker.url)]) };
    },
  },
  {
    about: 'over messages',
    model: 'lab/talker',
    async start(t, options) {
      const talker = await startMessagesTalker(t, options);
      return { talker, gateway: await startGateway(t, [toAnthropic('lab', talker.url)]) };
    },
  },
];
