import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decisionEngines, type EngineName, type EngineOptions, type OpenedEngine } from './engines/index.ts';

export interface EngineChoice extends Omit<EngineOptions, 'onLabelMass'> {
  readonly engine: 'auto' | EngineName;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
}

/**
 * Opens the engine that was chosen. `auto` is `systemone` where upstreams are named, else `local` where a GGUF file is
 * named or lies in the data folder, else `baseline`.
 */
export async function openEngine(
  choice: EngineChoice,
  onLabelMass: (mass: number) => void = () => {},
): Promise<OpenedEngine> {
  const { engine, dataFolder, ...options } = choice;
  const { upstreams } = options;
  const path = options.path ?? (await findModel(dataFolder));
  const best = upstreams.length > 0 ? 'systemone' : path === null ? 'baseline' : 'local';
  const name = engine === 'auto' ? best : engine;
  return decisionEngines[name]({ ...options, path, onLabelMass });
}

/** The first GGUF file by name; null when there is none. */
async function findModel(folder: string): Promise<string | null> {
  for (const place of [folder, join(folder, 'models')]) {
    const names = await readdir(place).catch(() => []);
    const [first] = names.filter((name) => name.endsWith('.gguf')).toSorted();
    if (first !== undefined) return join(place, first);
  }
  return null;
}
