import type { Json } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import { toFailure } from '../../../../kernel/kit/call-failure.ts';
import type { Capabilities, ExactForm, ServerKind } from './capabilities.ts';
import { findCap } from './find-cap.ts';
import { letterLabels, type Candidate, type Label } from './labels.ts';
import { picture, prompt, showsLabels } from './probe-question.ts';
import { readLabels } from './readout.ts';
import {
  plainDialect,
  toChatBody,
  toCompletionsBody,
  toGenerateBody,
  toMessages,
  toOllamaBody,
  withLabelBias,
  type Dialect,
} from './request.ts';
import { field, fromChat, fromCompletions, fromGenerate, listOf, promptIdsOf } from './response.ts';
import { isSampleable } from './sample.ts';
import { CallError, unusableError, type Server } from './server.ts';
import { findLabels } from './tokenizer.ts';

/**
 * Determines the kind and the capabilities of a server with four to twenty small requests, because names alone prove
 * nothing. Throws CallError when the server cannot be reached or offers no way to read probabilities.
 */
export async function probe(server: Server, now: () => number): Promise<Capabilities> {
  const { kind, props } = await identify(server, now);
  if (kind === 'ollama') {
    const found = await probeOllama(server);
    if (found !== null) return found;
  }
  const extra = ['vllm', 'sglang', 'llama-server'].includes(kind)
    ? { chat_template_kwargs: { enable_thinking: false } }
    : {};
  const dialect = { ...plainDialect, extra };
  const chat = await probeChat(server, dialect, now);
  const base = { kind, think: null, slots: slotsOf(props), labels: letterLabels, exact: null };
  if (chat === null) {
    const completions = await findCap((top) => askCompletions(server, top));
    if (completions === null || !showsLabels(completions.candidates)) throw noWay();
    return { ...base, reader: 'completions', cap: completions.cap, vision: false, dialect };
  }
  const vision = await probeVision(server, kind, props, chat.dialect, now);
  if (chat.cap === null) {
    if (!(await isSampleable(server, prompt, chat.dialect))) throw noWay();
    return { ...base, reader: 'sample', cap: 0, vision, dialect: chat.dialect };
  }
  const labels =
    kind === 'llama-server' || kind === 'vllm' || kind === 'sglang'
      ? await findLabels(server, kind === 'llama-server' ? 'llama-server' : 'prompt')
      : letterLabels;
  const exact = await probeExact(server, kind, labels, chat.dialect);
  return { ...base, reader: 'chat', cap: chat.cap, labels, exact, vision, dialect: chat.dialect };
}

function noWay(): CallError {
  return unusableError('the server offers no way to read probabilities');
}

/** Identifies a server by what it reports about itself. Throws CallError when it cannot be reached or refuses the key. */
async function identify(server: Server, now: () => number): Promise<{ kind: ServerKind; props: Json }> {
  const [models, props, version] = await Promise.all([
    server.try('GET', '/models'),
    server.tryRoot('GET', '/props'),
    server.tryRoot('GET', '/api/version'),
  ]);
  if (!models.ok) {
    const failure = toFailure(models, now());
    if (failure.kind !== 'unusable' || models.status === 401) throw new CallError(failure);
  }
  const list = models.ok ? listOf(field(models.body, 'data')) : [];
  const own = list.find((entry) => field(entry, 'id') === server.model) ?? list[0];
  const properties = props.ok ? props.body : null;
  return { kind: kindOf(field(own, 'owned_by'), properties, version), props: properties };
}

function kindOf(ownedBy: Json | undefined, props: Json, version: OutboundOutcome): ServerKind {
  if (ownedBy === 'vllm' || ownedBy === 'sglang') return ownedBy;
  if (ownedBy === 'llamacpp' || field(props, 'default_generation_settings') !== undefined)
    return 'llama-server';
  return version.ok && typeof field(version.body, 'version') === 'string' ? 'ollama' : 'openai';
}

function slotsOf(props: Json): number | null {
  const slots = field(props, 'total_slots');
  return typeof slots === 'number' && slots >= 1 ? slots : null;
}

interface ChatProbe {
  readonly dialect: Dialect;
  /** Null when the chat works and gives no logprobs, or none in which a label is seen. */
  readonly cap: number | null;
}

/** Returns null when there is no chat. Fields that the server refuses by name are left out or renamed. */
async function probeChat(server: Server, start: Dialect, now: () => number): Promise<ChatProbe | null> {
  let dialect = start;
  let first = await server.ask('/chat/completions', toChatBody(server.model, prompt, dialect, 20));
  for (let i = 0; i < 3 && !first.ok && first.status === 400; i++) {
    const next = adapt(dialect, JSON.stringify(first.body));
    if (next === dialect) break;
    dialect = next;
    first = await server.ask('/chat/completions', toChatBody(server.model, prompt, dialect, 20));
  }
  if (!first.ok) {
    const { status } = first;
    if (status === 404 || status === 405 || status === 501) return null;
    if (status !== 400 && status !== 403 && status !== 422) throw new CallError(toFailure(first, now()));
  }
  const found = await findCap(async (top) => {
    if (top === 20) return first;
    return server.ask('/chat/completions', toChatBody(server.model, prompt, dialect, top));
  });
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

async function askCompletions(server: Server, top: number): Promise<OutboundOutcome> {
  const outcome = await server.ask('/completions', toCompletionsBody(server.model, prompt, top));
  if (!outcome.ok) return outcome;
  // In the shape of a chat answer, which is what the search for the cap reads.
  const top_logprobs = fromCompletions(outcome.body).map(({ text, logprob }) => ({ token: text, logprob }));
  return { ...outcome, body: { choices: [{ logprobs: { content: [{ top_logprobs }] } }] } };
}

/** Whether the server reads images. What it reports about itself counts first, because some drop images silently. */
async function probeVision(
  server: Server,
  kind: ServerKind,
  props: Json,
  dialect: Dialect,
  now: () => number,
): Promise<boolean> {
  const reported = field(props, 'modalities', 'vision');
  if (typeof reported === 'boolean') return reported;
  if (kind === 'sglang') {
    const info = await server.tryRoot('GET', '/model_info');
    const understood = info.ok ? field(info.body, 'has_image_understanding') : undefined;
    if (typeof understood === 'boolean') return understood;
  }
  const messages = toMessages({ ...prompt, images: [picture] }, dialect);
  const body = { model: server.model, messages, [dialect.lengthField]: 1, ...dialect.extra };
  const outcome = await server.try('POST', '/chat/completions', body);
  if (outcome.ok) return true;
  const failure = toFailure(outcome, now());
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

/** Returns null for versions without logprobs (before 0.12.11). A model without thinking refuses the field `think`. */
async function probeOllama(server: Server): Promise<Capabilities | null> {
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
