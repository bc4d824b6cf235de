import { setTimeout as pause } from 'node:timers/promises';
import type { ModelEvent } from '../../src/features/models/model.ts';
import { call, finish, text } from './models.ts';
import { scriptedProvider, type Answer } from './providers.ts';
import type { TestServerOptions } from './server.ts';

/**
 * A model behind every chat name of a whole server. It calls the function that it is given, once; fills a schema with
 * a bird; and says what a kea is to everything else.
 */
export const birdAnswer: Answer = async function* kea(request) {
  const isAnswered = request.turns.some(({ role }) => role === 'tool');
  const [tool] = request.tools;
  if (tool !== undefined && !isAnswered && request.toolChoice !== 'none') {
    yield call('call_1', tool.name, '{"bird":', '"kea"}');
    yield finish('tool-calls');
    return;
  }
  const isSchema = request.format.type === 'json-schema';
  const pieces = isSchema ? ['{"bird":', '"kea"}'] : ['The kea ', 'is a ', 'parrot.'];
  for (const piece of pieces) yield [text(piece)] satisfies readonly ModelEvent[];
  yield finish();
};

/** `delayMs`: how long each answer takes to begin. */
export function chatProvider(delayMs = 0): TestServerOptions {
  const answer: Answer = async function* delayed(request, signal) {
    if (delayMs > 0) await pause(delayMs, undefined, { signal });
    yield* birdAnswer(request, signal);
  };
  return {
    providers: [scriptedProvider('lab', { bird: { answer } })],
    config: `
rate_limits: { enabled: false }
models:
  svc: lab/bird
  svc-pro: lab/bird
  svc-reasoning-pro: lab/bird
  svc-deep-research: lab/bird
`,
  };
}
