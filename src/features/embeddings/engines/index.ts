import type { EmbeddingEngine } from '../embedding.ts';

export const embeddingEngineNames = ['baseline', 'local', 'openai-compatible'] as const;
export type EmbeddingEngineName = (typeof embeddingEngineNames)[number];

/** What an engine may be opened with; each takes what concerns it. */
export interface EmbeddingEngineOptions {
  /** A GGUF file; null where none was named. */
  readonly path: string | null;
  /** Use a GPU if there is one and the runtime is installed for it. */
  readonly gpu: boolean;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
  readonly upstreams: readonly {
    readonly url: string;
    readonly key: string | null;
    readonly model: string | null;
  }[];
  /** For a whole request. Unit: ms. */
  readonly timeoutMs: number;
}

/** An engine, and why it cannot work where that is known from the start. */
export type OpenedEmbeddingEngine = EmbeddingEngine & { readonly problem?: string | null };

/** Every engine by its public name. A member is loaded when it is opened: most servers use one. */
export const embeddingEngines: Readonly<
  Record<EmbeddingEngineName, (options: EmbeddingEngineOptions) => Promise<OpenedEmbeddingEngine>>
> = {
  baseline: async () => (await import('./baseline/index.ts')).openBaselineEngine(),

  local: async ({ path, gpu, dataFolder }) => {
    const { openLocalEngine } = await import('./local/index.ts');
    return openLocalEngine({ path, gpu, dataFolder });
  },

  'openai-compatible': async ({ upstreams, timeoutMs }) => {
    const { openOpenAiCompatibleEngine } = await import('./openai-compatible/index.ts');
    const named = upstreams.map(({ url, key, model }) => ({ url, key, model: model ?? '' }));
    return openOpenAiCompatibleEngine({ upstreams: named, timeoutMs });
  },
};
