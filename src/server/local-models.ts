import { resolve } from 'node:path';
import type { LocalModel, LocalModelOptions } from '../models/providers/local/engine.ts';

export type OpenLocal = (options: LocalModelOptions) => Promise<LocalModel>;

/**
 * One model per file, whoever opens it: two copies would take the memory of two. It closes with its last user; one that
 * could not be opened is tried again by the next.
 */
export function createLocalModels(open: OpenLocal): OpenLocal {
  const opened = new Map<string, { readonly model: Promise<LocalModel>; users: number }>();
  return async (options) => {
    const key = `${options.gpu === true ? 'gpu' : 'cpu'} ${resolve(options.path)}`;
    const shared = opened.get(key) ?? { model: open(options), users: 0 };
    opened.set(key, shared);
    shared.users++;
    const leave = async (): Promise<boolean> => {
      shared.users--;
      if (shared.users === 0) opened.delete(key);
      return shared.users === 0;
    };
    try {
      const model = await shared.model;
      let isOpen = true;
      return {
        ...model,
        async close() {
          if (!isOpen) return;
          isOpen = false;
          if (await leave()) await model.close();
        },
      };
    } catch (error) {
      await leave();
      throw error;
    }
  };
}
