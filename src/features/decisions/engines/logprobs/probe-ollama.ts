import type { Capabilities } from './capabilities.ts';
import { findCap } from './find-cap.ts';
import { letterLabels } from './labels.ts';
import { prompt, showsLabels } from './probe-question.ts';
import { plainDialect, toOllamaBody } from './request.ts';
import { field, listOf } from './response.ts';
import type { Server } from './server.ts';

/** Null where the version has no logprobs (before 0.12.11). A model without thinking refuses the word itself. */
export async function probeOllama(server: Server): Promise<Capabilities | null> {
  const shown = await server.tryRoot('POST', '/api/show', { model: server.model });
  const vision = shown.ok && listOf(field(shown.body, 'capabilities')).includes('vision');
  for (const think of [false, null]) {
    const found = await findCap(async (top) => {
      const body = toOllamaBody(server.model, prompt, think, top);
      const outcome = await server.askRoot('/api/chat', body);
      if (!outcome.ok) return outcome;
      return {
        ...outcome,
        body: { choices: [{ logprobs: { content: listOf(field(outcome.body, 'logprobs')) } }] },
      };
    });
    if (found === null || !showsLabels(found.candidates)) continue;
    const shared = { labels: letterLabels, exact: null, slots: null, dialect: plainDialect };
    return { kind: 'ollama', reader: 'ollama', cap: found.cap, vision, think, ...shared };
  }
  return null;
}
