import type { ExactForm, ServerKind } from './capabilities.ts';
import type { Candidate, Label } from './labels.ts';
import { prompt } from './probe-question.ts';
import { readLabels } from './readout.ts';
import { toChatBody, toGenerateBody, withLabelBias, type Dialect } from './request.ts';
import { fromChat, fromGenerate, promptIdsOf } from './response.ts';
import type { Server } from './server.ts';

/** Whether the server tells the probability of any label that it is asked for. Shown, not assumed. */
export async function probeExact(
  server: Server,
  kind: ServerKind,
  labels: readonly Label[],
  dialect: Dialect,
): Promise<ExactForm | null> {
  const ids = labels.slice(-8).flatMap((label) => label.ids);
  if (ids.length === 0) return null;
  const known = (candidates: readonly Candidate[]) => readLabels(candidates, labels.slice(-8)).missing === 0;
  const body = toChatBody(server.model, prompt, dialect, 1);
  switch (kind) {
    case 'llama-server': {
      const outcome = await server.ask('/chat/completions', withLabelBias(body, ids));
      return outcome.ok && known(fromChat(outcome.body)) ? 'logit_bias' : null;
    }
    case 'vllm': {
      const outcome = await server.ask('/chat/completions', { ...body, logprob_token_ids: ids });
      return outcome.ok && known(fromChat(outcome.body)) ? 'logprob_token_ids' : null;
    }
    case 'sglang': {
      const chat = await server.ask('/chat/completions', { ...body, return_prompt_token_ids: true });
      const promptIds = chat.ok ? promptIdsOf(chat.body) : [];
      if (promptIds.length === 0) return null;
      const outcome = await server.askRoot('/generate', toGenerateBody(promptIds, ids));
      return outcome.ok && known(fromGenerate(outcome.body)) ? 'token_ids_logprob' : null;
    }
    case 'ollama':
    case 'openai':
      return null;
  }
}
