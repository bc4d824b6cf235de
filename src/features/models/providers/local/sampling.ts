import type { ModelRequest } from '../../model.ts';
import type { Sampling } from './generation.ts';

/** What llama.cpp draws with where nothing is said. */
const usual = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 } as const;

/** The last one means "any" to llama.cpp. */
const seedMax = 0xff_ff_ff_fe;

/** `seed` is drawn where the request names none. */
export function samplingOf(request: ModelRequest, seed: () => number): Sampling {
  const { temperature, topP, topK } = request;
  return {
    temperature: Math.max(0, temperature ?? usual.temperature),
    topK: topK ?? usual.topK,
    topP: topP ?? usual.topP,
    // Whoever chose a rule of their own did not ask for ours beside it.
    minP: topP === null && topK === null ? usual.minP : 0,
    presencePenalty: request.presencePenalty ?? 0,
    frequencyPenalty: request.frequencyPenalty ?? 0,
    seed: Math.min(seedMax, (request.seed ?? seed()) >>> 0),
  };
}
