import { defineEngine } from '../../engine.ts';

/** Label probabilities of models behind the OpenAI interface. */
export const logprobs = defineEngine({
  name: 'logprobs',
  upstreams: 'named',
  async open({ upstreams, timeoutMs, onLabelMass }) {
    const { openLogprobsEngine } = await import('./index.ts');
    const named = upstreams.map(({ url, key, model }) => ({ url, key, model: model ?? '' }));
    return openLogprobsEngine({ upstreams: named, timeoutMs, onLabelMass });
  },
});
