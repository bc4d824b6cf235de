import type { Config } from '../../kernel/config.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { randomIds } from '../../kernel/kit/ids.ts';
import { openLog } from '../../kernel/kit/log.ts';
import { openModels } from './open-server-models.ts';
import type { CommandContext } from '../../kernel/commands/command.ts';
import type { OpenedModels } from './open-models.ts';

/** The models of a configuration, as a server on it would see them. */
export interface ModelTools {
  readonly models: OpenedModels;
  /** When all providers have answered, or their time was over. */
  readonly settled: Promise<void>;
}

/** What the subcommands of `nestor models` use of their context. */
export type ModelsContext = Pick<
  CommandContext,
  'load' | 'openModels' | 'hub' | 'out' | 'err' | 'clock' | 'signal'
>;

/** The models of a configuration for commands. Problems are logged to standard error. */
export async function openModelTools(config: Config): Promise<ModelTools> {
  const log = await openLog({ ...config.log, level: 'error' });
  const models = await openModels(config, { log, clock: systemClock, ids: randomIds });
  return { models, settled: models.settled };
}
