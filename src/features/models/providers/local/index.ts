import { basename } from 'node:path';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import type { Model, ModelPrice, OfferedModel, Provider } from '../../model.ts';
import { LocalModelProblem, openLocalModel, type LocalModel, type LocalModelOptions } from './engine.ts';
import { createModel } from './local-model.ts';

export interface LocalProviderOptions {
  /** Prefix of its model. */
  readonly name: string;
  /** A GGUF file. */
  readonly path: string;
  readonly gpu?: boolean;
  /** Name of the model; that of the file where null. */
  readonly model: {
    readonly id: string;
    /** Less than the file was trained on, to save memory. Unit: tokens. */
    readonly contextTokensMax: number | null;
    readonly price: ModelPrice | null;
    readonly router: boolean;
  } | null;
  /** Most answers that are written or wait at a time; half of them of one account. */
  readonly answersMax?: number;
}

interface LocalProviderDependencies {
  /** Opens the file, or hands out the model that others in this process use already. */
  readonly open: (options: LocalModelOptions) => Promise<LocalModel>;
  readonly ids: Ids;
}

export interface LocalProvider extends Provider {
  /** Why the file cannot be used, in one line for an operator; null when it can. */
  readonly problem: string | null;
}

/** A GGUF file run in this process. Never rejects: with an unusable file it is down and says why in `problem`. */
export async function openLocal(
  options: LocalProviderOptions,
  { open = openLocalModel, ids }: Pick<LocalProviderDependencies, 'ids'> & Partial<LocalProviderDependencies>,
): Promise<LocalProvider> {
  const { path, gpu = false } = options;
  try {
    const engine = await open({ path, gpu });
    try {
      return createProvider(options, engine, ids);
    } catch (error) {
      await engine.close();
      throw new LocalModelProblem(path, error instanceof Error ? error.message : String(error), error);
    }
  } catch (error) {
    return createDownProvider(options.name, error instanceof Error ? error.message : String(error));
  }
}

const answersMax = 128;

function createProvider(options: LocalProviderOptions, engine: LocalModel, ids: Ids): LocalProvider {
  const { model: configured } = options;
  const model: Model = createModel({
    name: configured?.id ?? basename(options.path, '.gguf'),
    engine,
    ids,
    contextTokensMax: Math.min(engine.contextTokens, configured?.contextTokensMax ?? engine.contextTokens),
    answersMax: options.answersMax ?? answersMax,
  });
  const offered: readonly OfferedModel[] = [
    {
      model,
      created: 0,
      ownedBy: options.name,
      price: configured?.price ?? null,
      router: configured?.router ?? false,
    },
  ];
  let isOpen = true;
  return {
    name: options.name,
    type: 'local',
    problem: null,
    models: () => offered,
    health: () => (isOpen ? 'ok' : 'down'),
    refresh: () => Promise.resolve(),
    async close() {
      isOpen = false;
      await engine.close();
    },
  };
}

function createDownProvider(name: string, problem: string): LocalProvider {
  const done = () => Promise.resolve();
  return { name, type: 'local', problem, models: () => [], health: () => 'down', refresh: done, close: done };
}
