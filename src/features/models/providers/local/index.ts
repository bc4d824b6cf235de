import { basename } from 'node:path';
import { errorMessage } from '../../../../kernel/kit/errors.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import type { OpenLocal } from '../../local-models.ts';
import type { OfferedModel, Provider } from '../../model.ts';
import { decidesOnly } from './chat-file.ts';
import { LocalModelProblem, openLocalModel, type LocalModel } from './engine.ts';
import { createModel } from './local-model.ts';

export interface LocalProviderOptions {
  /** Prefix of its model. */
  readonly name: string;
  readonly path: string;
  /** Name of the model; by default that of the file. */
  readonly id?: string | undefined;
  /** Less than the file was trained on, to save memory. Unit: tokens. */
  readonly contextTokensMax?: number | null | undefined;
  /** Most answers that are written or wait at a time; half of them of one account. */
  readonly answersMax?: number;
}

/**
 * A GGUF file run in this process. `open` opens the file, or hands out the model that others use already. Throws
 * LocalModelProblem.
 */
export async function openLocal(
  options: LocalProviderOptions,
  { open = openLocalModel, ids }: { readonly open?: OpenLocal; readonly ids: Ids },
): Promise<Provider> {
  const { path } = options;
  const engine = await open({ path });
  try {
    if (engine.decision !== null) throw new Error(decidesOnly);
    return createProvider(options, engine, ids);
  } catch (error) {
    await engine.close();
    throw new LocalModelProblem(path, errorMessage(error), error);
  }
}

function createProvider(options: LocalProviderOptions, engine: LocalModel, ids: Ids): Provider {
  const { name, path, id = basename(path, '.gguf'), contextTokensMax, answersMax = 128 } = options;
  const most = Math.min(engine.contextTokens, contextTokensMax ?? engine.contextTokens);
  const model = createModel({ name: id, engine, ids, contextTokensMax: most, answersMax });
  // Prices and what the router serves are laid over by the catalog, for every provider alike.
  const offered: readonly OfferedModel[] = [{ model, created: 0, ownedBy: name, price: null, router: true }];
  let isOpen = true;
  return {
    name,
    type: 'local',
    models: () => offered,
    health: () => (isOpen ? 'ok' : 'down'),
    refresh: () => Promise.resolve(),
    async close() {
      isOpen = false;
      await engine.close();
    },
  };
}
