import { renderQuestion, renderUserPrefix, systemPrompt } from '../../question-prompt.ts';
import type { Image, State, NormalizedQuestion } from '../../engine.ts';
import { type Label } from './labels.ts';

/** The prompt before it takes the form of one server. The state comes first, because requests share it as their prefix. */
export interface Prompt {
  readonly system: string;
  readonly prefix: string;
  readonly images: readonly Image[];
  readonly question: string;
}

/** Differences between servers of the same interface, found by `probe.ts`. */
export interface Dialect {
  readonly lengthField: 'max_tokens' | 'max_completion_tokens';
  /** Whether the server takes a temperature; models that reason refuse all but their own. */
  readonly temperature: boolean;
  /** Whether there is a system role; the templates of some models refuse it. */
  readonly system: boolean;
  /** Fields of the server that switch reasoning off. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The dialect that is tried first. */
export const plainDialect: Dialect = {
  lengthField: 'max_tokens',
  temperature: true,
  system: true,
  extra: {},
};

export function toPrompt(state: State, question: NormalizedQuestion, labels: readonly Label[]): Prompt {
  return {
    system: systemPrompt,
    prefix: renderUserPrefix(state.text),
    images: state.images,
    question: renderQuestion(
      question,
      labels.map(({ text }) => text),
    ),
  };
}

/** Messages in the common chat shape; images stand between the state and the question. */
export function toMessages(prompt: Prompt, { system: hasSystem }: Dialect): object[] {
  const { system, images, question } = prompt;
  const prefix = hasSystem ? prompt.prefix : `${system}\n\n${prompt.prefix}`;
  const content =
    images.length === 0
      ? prefix + question
      : [
          { type: 'text', text: prefix },
          ...images.map((image) => ({ type: 'image_url', image_url: { url: toDataUrl(image) } })),
          { type: 'text', text: question },
        ];
  const user = { role: 'user', content };
  return hasSystem ? [{ role: 'system', content: system }, user] : [user];
}

function toDataUrl({ format, bytes }: Image): string {
  return `data:image/${format};base64,${bytes.toString('base64')}`;
}

/** Asks for one token with its alternatives. Greedy, so that nothing is sampled; the alternatives do not depend on it. */
export function toChatBody(model: string, prompt: Prompt, dialect: Dialect, top: number) {
  const { lengthField, temperature, extra } = dialect;
  return {
    model,
    messages: toMessages(prompt, dialect),
    [lengthField]: 1,
    ...(temperature ? { temperature: 0 } : {}),
    logprobs: true,
    top_logprobs: top,
    ...extra,
  };
}

/** The older interface without roles, for servers that have no chat. */
export function toCompletionsBody(model: string, { system, prefix, question }: Prompt, top: number) {
  const prompt = `${system}\n\n${prefix}${question}\n\nAnswer:`;
  return { model, prompt, max_tokens: 1, temperature: 0, logprobs: top };
}

/**
 * Ollama's own interface. Its OpenAI one has no way to switch off `top_k: 40`, which is applied before the
 * logprobs are taken and makes labels vanish.
 */
export function toOllamaBody(model: string, prompt: Prompt, think: boolean | null, top: number) {
  const { system, prefix, images, question } = prompt;
  const pictures = images.length === 0 ? {} : { images: images.map(({ bytes }) => bytes.toString('base64')) };
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: prefix + question, ...pictures },
    ],
    stream: false,
    ...(think === null ? {} : { think }),
    logprobs: true,
    top_logprobs: top,
    options: { num_predict: 1, temperature: 1, top_k: 0, top_p: 1, min_p: 0, repeat_penalty: 1 },
  };
}

/** Large enough that nothing but the labels is left, small enough for float32. */
const labelBias = 100;

/** llama-server: labels alone compete, and their probabilities are taken after sampling, which changes nothing. */
export function withLabelBias(body: object, ids: readonly number[]) {
  return {
    ...body,
    temperature: 1,
    samplers: ['temperature'],
    logit_bias: ids.map((id) => [id, labelBias]),
    post_sampling_probs: true,
    top_logprobs: ids.length,
  };
}

/** SGLang: logprobs of the named tokens after a prompt that the chat interface rendered. */
export function toGenerateBody(promptIds: readonly number[], ids: readonly number[]) {
  return {
    input_ids: promptIds,
    sampling_params: { max_new_tokens: 1, temperature: 0 },
    return_logprob: true,
    logprob_start_len: -1,
    token_ids_logprob: ids,
    stream: false,
  };
}
