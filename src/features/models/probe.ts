import { Fault } from '../../kernel/faults.ts';
import type { CallVerdict } from '../../kernel/kit/breakers.ts';
import { awaitFirstOutput } from './first-output.ts';
import { emptyRequest, type Model, type ModelRequest } from './model.ts';

/** The smallest real request. Listing models would be no test: servers do it even when nothing else works. */
export const smallestRequest: ModelRequest = {
  ...emptyRequest,
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Answer with the word ok.' }] }],
  outputTokensMax: 16,
};

/**
 * Asks a model for a word and leaves with the first output. It waits as long as a caller would, so that a slow server
 * does not count as away. Rejects with the signal's reason.
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
