import type { Config } from '../../../kernel/config.ts';
import { findInstalled, type InstalledModel } from './find.ts';
import { inspect, type FindAdapter, type Inspected } from './inspect.ts';
import { licenceOf } from './licence.ts';
import { findUses, isUseOf } from './uses.ts';

/** A model in the data folder with what is known of it. */
export interface ListedModel extends InstalledModel, Inspected {
  readonly licence: string | null;
  /** Keys of the configuration that use it. */
  readonly usedBy: readonly string[];
}

/** Every model in the data folder. One that holds no usable model says why. */
export async function listInstalled(
  config: Config,
  findAdapter: FindAdapter,
): Promise<readonly ListedModel[]> {
  const uses = await findUses(config);
  const listed: ListedModel[] = [];
  // One after the other: each graph is opened in a process of its own.
  for (const model of await findInstalled(config.dataFolder)) {
    const usedBy = uses
      .filter(isUseOf(model.path))
      .map(({ key, isNamed }) => (isNamed ? key : `${key} (found)`));
    const inspected = await inspect(model, findAdapter);
    listed.push({ ...model, ...inspected, licence: await licenceOf(model), usedBy });
  }
  return listed;
}
