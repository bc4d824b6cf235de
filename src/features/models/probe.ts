import { Fault } from '../../kernel/faults.ts';
import type { CallVerdict } from '../../kernel/kit/breakers.ts';
import { awaitFirstOutput } from './first-output.ts';
import type { Model, ModelRequest } from './model.ts';

/** The smallest real request: a list of models answers also where nothing else does. */
export const smallestRequest: ModelRequest = {
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Answer with the word ok.' }] }],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  outputTokensMax: 16,
  stop: [],
  temperature: null,
  topP: null,
  topK: null,
  presencePenalty: null,
  frequencyPenalty: null,
  seed: null,
  effort: null,
};

/**
 * Asks a model for a word and leaves with the first output. It waits as long as a caller would, so a server that is
 * only slow for one caller is not found away. Rejects with the signal's reason.
 */
export async function probeModel(model: Model, signal: AbortSignal): Promise<CallVerdict> {
  const leaving = new AbortController();
  try {
    await awaitFirstOutput(model.stream(smallestRequest, AbortSignal.any([signal, leaving.signal])));
    return 'answered';
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Fault)) return 'unknown';
    return error.away ? 'away' : 'answered';
  } finally {
    leaving.abort(new Error('answered'));
  }
}
