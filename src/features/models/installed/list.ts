import { stat } from 'node:fs/promises';
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

/**
 * Lists every model in the data folder. One that holds no usable model says why. Who asks again and again gets a graph
 * opened once while nothing about it changes.
 */
export function createLister(
  config: Config,
  findAdapter: FindAdapter,
): () => Promise<readonly ListedModel[]> {
  let known: ReadonlyMap<string, Inspected> = new Map();
  return async () => {
    const seen = new Map<string, Inspected>();
    const listed = await listWith(config, async (model) => {
      const changedMs = await stat(model.path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
      const key = `${model.path} ${model.sizeBytes} ${changedMs}`;
      const inspected = known.get(key) ?? (await inspect(model, findAdapter));
      seen.set(key, inspected);
      return inspected;
    });
    known = seen;
    return listed;
  };
}

async function listWith(
  config: Config,
  inspectOne: (model: InstalledModel) => Promise<Inspected>,
): Promise<readonly ListedModel[]> {
  const uses = await findUses(config);
  const listed: ListedModel[] = [];
  // One after the other: each graph is opened in a process of its own.
  for (const model of await findInstalled(config.dataFolder)) {
    const usedBy = uses
      .filter(isUseOf(model.path))
      .map(({ key, isNamed }) => (isNamed ? key : `${key} (found)`));
    const inspected = await inspectOne(model);
    listed.push({ ...model, ...inspected, licence: await licenceOf(model), usedBy });
  }
  return listed;
}
