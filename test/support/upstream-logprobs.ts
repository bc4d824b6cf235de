import type { DecisionEngine } from '../../src/features/decisions/engine.ts';
import {
  openLogprobsEngine,
  type LogprobsOptions,
} from '../../src/features/decisions/engines/logprobs/index.ts';
import type { TestScope } from './server.ts';
import { startUpstream, type Upstream, type UpstreamHandler } from './upstream.ts';
import { hangMs } from './until.ts';

/** An engine over these upstreams, closed when the test ends. */
export async function openLogprobs(
  t: TestScope,
  upstreams: readonly (Upstream | string)[],
  options: Partial<LogprobsOptions> = {},
): Promise<DecisionEngine> {
  const engine = await openLogprobsEngine({
    upstreams: upstreams.map((upstream) => ({
      url: typeof upstream === 'string' ? upstream : upstream.url,
      key: 'sk-upstream-key',
      model: 'local-model',
    })),
    timeoutMs: hangMs,
    random: () => 0,
    ...options,
  });
  t.after(() => engine.close());
  return engine;
}

/** One scripted upstream and an engine that knows it alone. */
export async function logprobsWith(
  t: TestScope,
  handler: UpstreamHandler,
  options: Partial<LogprobsOptions> = {},
) {
  const upstream = await startUpstream(t, handler);
  return { upstream, engine: await openLogprobs(t, [upstream], options) };
}
