import type { State, NormalizedQuestion } from '../../engine.ts';
import { topFor, type Capabilities } from './capabilities.ts';
import type { Candidate, Label } from './labels.ts';
import { readLabels, type Readout } from './readout.ts';
import {
  toChatBody,
  toCompletionsBody,
  toGenerateBody,
  toOllamaBody,
  toPrompt,
  withLabelBias,
} from './request.ts';
import { fromChat, fromCompletions, fromGenerate, fromOllama, promptIdsOf } from './response.ts';
import { unusableError, type Server } from './server.ts';

/** Token ids that vLLM takes in one request. */
const idsMax = 128;

/** Reads the answer position after one question with at most `groupSizeOf` options. Throws CallError. */
export async function readOnce(
  server: Server,
  capabilities: Capabilities,
  state: State,
  question: NormalizedQuestion,
): Promise<Readout> {
  const labels = capabilities.labels.slice(0, question.options.length);
  const prompt = toPrompt(state, question, labels);
  const top = topFor(capabilities, labels.length);
  switch (capabilities.reader) {
    case 'ollama': {
      const body = toOllamaBody(server.model, prompt, capabilities.think, top);
      return readListed(fromOllama(await server.postRoot('/api/chat', body)), labels);
    }
    case 'completions': {
      const body = toCompletionsBody(server.model, prompt, top);
      return readListed(fromCompletions(await server.post('/completions', body)), labels);
    }
    case 'chat':
    case 'sample': {
      const body = toChatBody(server.model, prompt, capabilities.dialect, top);
      return readChat(server, capabilities, body, labels, state.images.length > 0);
    }
  }
}

async function readChat(
  server: Server,
  { exact }: Capabilities,
  body: object,
  labels: readonly Label[],
  hasImages: boolean,
): Promise<Readout> {
  if (exact === 'logprob_token_ids') return readListed(await readByIds(server, body, labels), labels);
  const wantsIds = exact === 'token_ids_logprob' && !hasImages;
  const answer = await server.post(
    '/chat/completions',
    wantsIds ? { ...body, return_prompt_token_ids: true } : body,
  );
  const listed = readListed(fromChat(answer), labels);
  if (listed.missing === 0 || exact === null) return listed;
  const ids = labels.flatMap((label) => label.ids);
  if (exact === 'logit_bias') {
    const biased = await server.post('/chat/completions', withLabelBias(body, ids));
    // These are exact relative to each other; their share of the whole is known from the first reading only.
    return { ...readListed(fromChat(biased), labels), mass: listed.mass };
  }
  const promptIds = wantsIds ? promptIdsOf(answer) : [];
  if (promptIds.length === 0) return listed;
  return readListed(fromGenerate(await server.postRoot('/generate', toGenerateBody(promptIds, ids))), labels);
}

/** Throws CallError for an answer that lists nothing: even odds would be made up. */
function readListed(candidates: readonly Candidate[], labels: readonly Label[]): Readout {
  const readout = readLabels(candidates, labels);
  if (readout.listed === 0) throw unusableError('no logprobs where there were some before');
  return readout;
}

/** Reads labels in several requests. Their answers are parts of one distribution, so they are joined without scaling. */
async function readByIds(server: Server, body: object, labels: readonly Label[]): Promise<Candidate[]> {
  const both = labels.flatMap((label) => label.ids);
  const ids = both.length <= idsMax ? both : labels.flatMap((label) => label.ids.slice(0, 1));
  const parts: Candidate[][] = [];
  for (let from = 0; from < ids.length; from += idsMax) {
    const logprob_token_ids = ids.slice(from, from + idsMax);
    parts.push(
      fromChat(await server.post('/chat/completions', { ...body, top_logprobs: 1, logprob_token_ids })),
    );
  }
  // The sampled token and the listed ones come with every part.
  const found = new Map(parts.flat().map((candidate) => [`${candidate.id} ${candidate.text}`, candidate]));
  return [...found.values()];
}
