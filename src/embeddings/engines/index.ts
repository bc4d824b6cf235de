import type { EmbeddingEngine } from '../embedding.ts';

export const embeddingEngineNames = ['baseline', 'openai-compatible'] as const;
export type EmbeddingEngineName = (typeof embeddingEngineNames)[number];

/** What an engine may be opened with; each takes what concerns it. */
export interface EmbeddingEngineOptions {
  readonly upstreams: readonly {
    readonly url: string;
    readonly key: string | null;
    readonly model: string | null;
  }[];
  /** For a whole request. Unit: ms. */
  readonly timeoutMs: number;
}

/** Every engine by its public name. A member is loaded when it is opened: most servers use one. */
export const embeddingEngines: Readonly<
  Record<EmbeddingEngineName, (options: EmbeddingEngineOptions) => Promise<EmbeddingEngine>>
> = {
  baseline: async () => (await import('./baseline/index.ts')).openBaselineEngine(),

  'openai-compatible': async ({ upstreams, timeoutMs }) => {
    const { openOpenAiCompatibleEngine } = await import('./openai-compatible/index.ts');
    const named = upstreams.map(({ url, key, model }) => ({ url, key, model: model ?? '' }));
    return openOpenAiCompatibleEngine({ upstreams: named, timeoutMs });
  },
};
