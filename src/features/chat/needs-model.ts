import { Fault } from '../../kernel/faults.ts';
import type { ChatQuestion } from './question.ts';

/** The same words as those of the extractive default, which has them for whoever asks it directly. */
const needsModel =
  'This request needs a language model and none is configured: set `providers` in the configuration, put a GGUF file into the data folder, or run `nestor models pull`; see docs/guide/models.md.';

/** Refuses what can only be written, before anything is searched for. Throws Fault `service_unavailable`, final. */
export function requireModel({ check, functions, toolChoice, turns }: ChatQuestion): void {
  const seesImages = turns.some(
    (turn) => turn.role === 'user' && turn.parts.some(({ type }) => type === 'image'),
  );
  const calls = functions.length > 0 && toolChoice !== 'none';
  if (check === null && !calls && !seesImages) return;
  throw new Fault('service_unavailable', needsModel, { retryAfterMs: 60_000, final: true });
}
