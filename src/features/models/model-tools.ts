import type { ModelTools } from './commands/models-parts.ts';
import type { Config } from '../../kernel/config.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { randomIds } from '../../kernel/kit/ids.ts';
import { openLog } from '../../kernel/kit/log.ts';
import { openModels } from './open-server-models.ts';

/** The models of a configuration for commands. What is wrong with it is told on standard error. */
export async function openModelTools(config: Config): Promise<ModelTools> {
  const log = await openLog({ ...config.log, level: 'error' });
  const models = await openModels(config, { log, clock: systemClock, ids: randomIds });
  return { models, settled: models.settled };
}
