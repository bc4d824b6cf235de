import type { Json } from '../../../../kernel/kit/json.ts';
import { at, listAt, numberAt } from '../../../../kernel/kit/json-path.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { Image, NormalizedQuestion, State } from '../../engine.ts';
import { findCap } from './find-cap.ts';
import { letterLabels, readLabels, type Candidate, type Label } from './labels.ts';
import {
  plainDialect,
  toChatBody,
  toCompletionsBody,
  toGenerateBody,
  toMessages,
  toOllamaBody,
  toPrompt,
  withLabelBias,
  type Dialect,
} from './request.ts';
import { fromChat, fromCompletions, fromGenerate, fromOllama, promptIdsOf } from './response.ts';
import { isSampleable } from './sample.ts';
import { CallError, unusableError, type Server } from './server.ts';
import { findLabels } from './tokenizer.ts';

type ServerKind = 'openai' | 'vllm' | 'sglang' | 'llama-server' | 'ollama';

/**
 * How to get exact probabilities of labels that the server did not list: a bias towards them (llama-server), their ids
 * in the same request (vLLM), their ids in another request (SGLang).
 */
type ExactForm = 'logit_bias' | 'logprob_token_ids' | 'token_ids_logprob';

/** Capabilities of one server. Found by one probe, kept until it restarts or behaves differently. */
export interface Capabilities {
  readonly kind: ServerKind;
  /** Where the answer position is read. `sample` reads none and asks the model for numbers. */
  readonly reader: 'chat' | 'completions' | 'ollama' | 'sample';
  /** Most alternatives listed at a position. */
  readonly cap: number;
  readonly labels: readonly Label[];
  readonly exact: ExactForm | null;
  readonly vision: boolean;
  readonly dialect: Dialect;
  /** Ollama's `think`; null where the model refuses the field. */
  readonly think: boolean | null;
  /** Requests that the server handles at once; null when it does not report them. */
  readonly slots: number | null;
}

/**
 * Determines the kind and the capabilities of a server with four to twenty small requests, because names alone prove
 * nothing. Throws CallError when the server cannot be reached or offers no way to read probabilities.
 */
export async function probe(server: Server): Promise<Capabilities> {
  const { kind, props } = await identify(server);
  if (kind === 'ollama') {
    const found = await probeOllama(server);
    if (found !== null) return found;
  }
  const isLocal = kind === 'vllm' || kind === 'sglang' || kind === 'llama-server';
  const extra = isLocal ? { chat_template_kwargs: { enable_thinking: false } } : {};
  const dialect = { ...plainDialect, extra };
  const chat = await probeChat(server, dialect);
  const slots = numberAt(props, 'total_slots') ?? 0;
  const base = { kind, think: null, slots: slots >= 1 ? slots : null, labels: letterLabels, exact: null };
  if (chat === null) {
    const completions = await findCap(
      (top) => server.ask('/completions', toCompletionsBody(server.model, prompt, top)),
      fromCompletions,
    );
    if (completions === null || !showsLabels(completions.candidates)) throw noWay();
    return { ...base, reader: 'completions', cap: completions.cap, vision: false, dialect };
  }
  const vision = await probeVision(server, kind, props, chat.dialect);
  if (chat.cap === null) {
    if (!(await isSampleable(server, prompt, chat.dialect))) throw noWay();
    return { ...base, reader: 'sample', cap: 0, vision, dialect: chat.dialect };
  }
  const labels = isLocal ? await findLabels(server, kind === 'llama-server') : letterLabels;
  const exact = await probeExact(server, kind, labels, chat.dialect);
  return { ...base, reader: 'chat', cap: chat.cap, labels, exact, vision, dialect: chat.dialect };
}

function noWay(): CallError {
  return unusableError('the server offers no way to read probabilities');
}

/** Identifies a server by what it reports about itself. Throws CallError when it cannot be reached or refuses the key. */
async function identify(server: Server): Promise<{ kind: ServerKind; props: Json }> {
  const [models, props, version] = await Promise.all([
    server.try('GET', '/models'),
    server.try('GET', '/props'),
    server.try('GET', '/api/version'),
  ]);
  if (!models.ok) {
    const failure = server.failureOf(models);
    if (failure.kind !== 'unusable' || models.status === 401) throw new CallError(failure);
  }
  const list = models.ok ? listAt(models.body, 'data') : [];
  const own = list.find((entry) => at(entry, 'id') === server.model) ?? list[0];
  const properties = props.ok ? props.body : null;
  return { kind: kindOf(at(own, 'owned_by'), properties, version), props: properties };
}

function kindOf(ownedBy: Json | undefined, props: Json, version: OutboundOutcome): ServerKind {
  if (ownedBy === 'vllm' || ownedBy === 'sglang') return ownedBy;
  if (ownedBy === 'llamacpp' || at(props, 'default_generation_settings') !== undefined) return 'llama-server';
  return version.ok && typeof at(version.body, 'version') === 'string' ? 'ollama' : 'openai';
}

interface ChatProbe {
  readonly dialect: Dialect;
  /** Null when the chat works and gives no logprobs, or none in which a label is seen. */
  readonly cap: number | null;
}

/** Returns null when there is no chat. Fields that the server refuses by name are left out or renamed. */
async function probeChat(server: Server, start: Dialect): Promise<ChatProbe | null> {
  let dialect = start;
  const ask = (top: number) =>
    server.ask('/chat/completions', toChatBody(server.model, prompt, dialect, top));
  let first = await ask(20);
  for (let i = 0; i < 3 && !first.ok && first.status === 400; i++) {
    const next = adapt(dialect, JSON.stringify(first.body));
    if (next === dialect) break;
    dialect = next;
    first = await ask(20);
  }
  if (!first.ok) {
    const { status } = first;
    if (status === 404 || status === 405 || status === 501) return null;
    if (status !== 400 && status !== 403 && status !== 422) throw new CallError(server.failureOf(first));
  }
  const found = await findCap(async (top) => (top === 20 ? first : ask(top)));
  return { dialect, cap: found !== null && showsLabels(found.candidates) ? found.cap : null };
}

function adapt(dialect: Dialect, error: string): Dialect {
  if (dialect.lengthField === 'max_tokens' && error.includes('max_completion_tokens')) {
    return { ...dialect, lengthField: 'max_completion_tokens' };
  }
  if (dialect.temperature && /\btemperature\b/.test(error)) return { ...dialect, temperature: false };
  if (dialect.system && /system role|role.{0,12}system/iu.test(error)) return { ...dialect, system: false };
  return error.includes('chat_template_kwargs') ? { ...dialect, extra: {} } : dialect;
}

/** Whether the server reads images. What it reports about itself counts first, because some drop images silently. */
async function probeVision(
  server: Server,
  kind: ServerKind,
  props: Json,
  dialect: Dialect,
): Promise<boolean> {
  const reported = at(props, 'modalities', 'vision');
  if (typeof reported === 'boolean') return reported;
  if (kind === 'sglang') {
    const info = await server.try('GET', '/model_info');
    const understood = info.ok ? at(info.body, 'has_image_understanding') : undefined;
    if (typeof understood === 'boolean') return understood;
  }
  const messages = toMessages({ ...prompt, images: [picture] }, dialect);
  const body = { model: server.model, messages, [dialect.lengthField]: 1, ...dialect.extra };
  const outcome = await server.try('POST', '/chat/completions', body);
  if (outcome.ok) return true;
  const failure = server.failureOf(outcome);
  // Some servers refuse images with a 500; a busy or absent one shows nothing about images.
  if (failure.kind !== 'unusable') throw new CallError(failure);
  return false;
}

/** How the server returns the probabilities of chosen labels; null when a request shows that it does not. */
async function probeExact(
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
    case 'llama-server':
    case 'vllm': {
      const isBiased = kind === 'llama-server';
      const asked = isBiased ? withLabelBias(body, ids) : { ...body, logprob_token_ids: ids };
      const outcome = await server.ask('/chat/completions', asked);
      if (!outcome.ok || !known(fromChat(outcome.body))) return null;
      return isBiased ? 'logit_bias' : 'logprob_token_ids';
    }
    case 'sglang': {
      const chat = await server.ask('/chat/completions', { ...body, return_prompt_token_ids: true });
      const promptIds = chat.ok ? promptIdsOf(chat.body) : [];
      if (promptIds.length === 0) return null;
      const outcome = await server.ask('/generate', toGenerateBody(promptIds, ids));
      return outcome.ok && known(fromGenerate(outcome.body)) ? 'token_ids_logprob' : null;
    }
    case 'ollama':
    case 'openai':
      return null;
  }
}

/** Returns null for versions without logprobs (before 0.12.11). A model without thinking refuses the field `think`. */
async function probeOllama(server: Server): Promise<Capabilities | null> {
  const shown = await server.try('POST', '/api/show', { model: server.model });
  const vision = shown.ok && listAt(shown.body, 'capabilities').includes('vision');
  for (const think of [false, null]) {
    const found = await findCap(
      (top) => server.ask('/api/chat', toOllamaBody(server.model, prompt, think, top)),
      fromOllama,
    );
    if (found === null || !showsLabels(found.candidates)) continue;
    const shared = { labels: letterLabels, exact: null, slots: null, dialect: plainDialect };
    return { kind: 'ollama', reader: 'ollama', cap: found.cap, vision, think, ...shared };
  }
  return null;
}

const state: State = { entry: 'The sky is blue.', text: 'The sky is blue.', images: [] };
const question: NormalizedQuestion = {
  kind: 'noul',
  question: 'Is the sky blue?',
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
};
/** A real question, so that a server that answers it answers others. */
const prompt = toPrompt(state, question, letterLabels);
const twoLabels = letterLabels.slice(0, 2);

/** A grey square of 64 x 64 pixels: larger than the patches of any vision model. */
const square =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PMQ0AAAwDoEqv9ErYvQQckD4XAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAYHLAB8+AWnmfUycAAAAAElFTkSuQmCC';
const picture: Image = {
  format: 'png',
  bytes: Buffer.from(square, 'base64'),
  width: 64,
  height: 64,
  tokens: 4,
};

/** Whether the model answers with a label, and not with prose or reasoning. */
function showsLabels(candidates: readonly Candidate[]): boolean {
  return readLabels(candidates, twoLabels).missing < twoLabels.length;
}
