import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineDeclaration, EngineOptions, OpenedEngine } from './define-engine.ts';
import { decisionEngines } from './engines/index.ts';

export interface EngineChoice extends Omit<EngineOptions, 'onLabelMass'> {
  /** `auto` or the name of an engine. */
  readonly engine: string;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
}

/** Opens the engine that was chosen. `auto` is the last of the known engines that suits. */
export async function openEngine(
  choice: EngineChoice,
  onLabelMass: (mass: number) => void = () => {},
  known: readonly EngineDeclaration[] = decisionEngines,
): Promise<OpenedEngine> {
  const { engine: name, dataFolder, ...rest } = choice;
  const options = { ...rest, path: rest.path ?? (await findModel(dataFolder)), onLabelMass };
  const engine =
    name === 'auto' ? known.findLast((one) => one.suits?.(options)) : known.find((one) => one.name === name);
  if (engine === undefined) throw new Error(`no decision engine ${name}`);
  return engine.open(options);
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
