import type { NormalizedQuestion, State } from '../../engine.ts';
import { readLabels, type Candidate, type Label, type Readout } from './labels.ts';
import type { Capabilities } from './probe.ts';
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

/** Above this a list is long enough to hold the labels among everything else that a model might say. */
const longList = 100;
/** Other words that compete for a place in a long list. */
const others = 64;

/** Most options that one reading of the answer position can distinguish. */
export function groupSizeOf({ cap, labels, exact }: Capabilities): number {
  if (exact !== null) return labels.length;
  if (cap >= longList) return Math.min(labels.length, cap - others);
  // A fifth of a short list is left to other forms of the labels and to other words.
  return Math.max(2, Math.min(labels.length, Math.floor(cap * 0.8)));
}

/** Number of alternatives to request so that `count` labels are among them. */
function topFor({ cap }: Capabilities, count: number): number {
  return cap >= longList ? Math.min(cap, count + others) : cap;
}

/**
 * Weighs a question's options, also more than one reading can distinguish: they are asked in even groups, then the best
 * of all groups together. The weight of an option is the weight of its group's best in that final, times its own
 * relative to that best. For a model that weighs options independently this equals a single reading. `mass` is that of
 * the last reading.
 */
export async function weigh(
  question: NormalizedQuestion,
  groupSize: number,
  read: (question: NormalizedQuestion) => Promise<Readout>,
): Promise<Pick<Readout, 'weights' | 'mass'>> {
  const { options } = question;
  if (options.length <= groupSize) return read(question);
  const groups = evenly(options.length, Math.ceil(options.length / groupSize));
  const answers = await Promise.all(
    groups.map(async ({ from, to }) => {
      // A single option needs no request.
      if (to - from === 1) return [1];
      return (await read({ ...question, options: options.slice(from, to) })).weights;
    }),
  );
  const best = answers.map((weights) => weights.indexOf(Math.max(...weights)));
  const finalists = groups.map(({ from }, index) => options[from + (best[index] ?? 0)]);
  const final = await weigh(
    { ...question, options: finalists.filter((option) => option !== undefined) },
    groupSize,
    read,
  );
  const weights = answers.flatMap((group, index) => {
    const top = group[best[index] ?? 0] ?? 1;
    return group.map((weight) => ((final.weights[index] ?? 0) * weight) / top);
  });
  return { weights, mass: final.mass };
}

function evenly(total: number, count: number): { readonly from: number; readonly to: number }[] {
  const edge = (index: number) => Math.floor((index * total) / count);
  return Array.from({ length: count }, (_, index) => ({ from: edge(index), to: edge(index + 1) }));
}

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
      return readListed(fromOllama(await server.post('/api/chat', body)), labels);
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
  return readListed(fromGenerate(await server.post('/generate', toGenerateBody(promptIds, ids))), labels);
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
