import { defineEmbeddingEngine } from '../../define-engine.ts';

/** Servers with OpenAI's interface. */
export const openAiCompatible = defineEmbeddingEngine({
  name: 'openai-compatible',
  needsUpstreams: true,
  suits: ({ upstreams }) => upstreams.length > 0,
  async open({ upstreams, timeoutMs }) {
    const { openOpenAiCompatibleEngine } = await import('./index.ts');
    const named = upstreams.map(({ url, key, model }) => ({ url, key, model: model ?? '' }));
    return openOpenAiCompatibleEngine({ upstreams: named, timeoutMs });
  },
});
