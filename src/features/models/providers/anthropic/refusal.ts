import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Traits } from './traits.ts';

/** Corrects the traits by a refusal. Null when it is about something else, or shows nothing new. */
export function readRefusal(error: Json | null, sent: JsonObject, traits: Traits): Partial<Traits> | null {
  const message = messageOf(error);
  if (message === null) return null;
  const found = rules.map((rule) => rule(message, sent, traits)).find((change) => change !== null);
  if (found === undefined) return null;
  return JSON.stringify({ ...traits, ...found }) === JSON.stringify(traits) ? null : found;
}

/** What servers say of a setting that they do not take at all. */
const ofModel =
  /support|deprecated|not permitted|not allowed|unknown|unrecogni[sz]ed|cannot both|maximum allowed|must end with/;

/**
 * Whether a refusal tells of the model. All others tell of one request, such as its five marks of the cache or thoughts that
 * another model signed: the next one may hold others, and is not to lose by it what the model takes.
 */
export function isOfModel(error: Json | null): boolean {
  return ofModel.test(messageOf(error) ?? '');
}

type Rule = (message: string, sent: JsonObject, traits: Traits) => Partial<Traits> | null;

/** "`temperature` and `top_p` cannot both be specified", and the like. */
const bothSamplings = [/temperature/, /top_p/, /both|together/];

/** Fields of `messagesFields` that stand at the top. */
const messagesFieldNames = ['context_management', 'service_tier', 'inference_geo', 'speed', 'cache_control'];

const rules: readonly Rule[] = [
  (message, _sent, { thoughts }) =>
    thoughts && /signature|thinking.{0,40}\bblocks?\b/.test(message) ? { thoughts: false } : null,
  (message) => (/prefill|must end with a user message/.test(message) ? { prefill: false } : null),
  (message) => {
    // "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for …"
    const most = /max_tokens: \d+ > (\d{3,7})\b/.exec(message)?.[1];
    return most === undefined ? null : { outputTokensMax: Number(most) };
  },
  (message) => {
    // "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease …"
    const [, input, context] = /context limit: (\d{1,9}) \+ \d+ > (\d{1,9})/.exec(message) ?? [];
    const left = Number(context) - Number(input);
    return left > 0 ? { outputTokensMax: left } : null;
  },
  (message) => (bothSamplings.every((pattern) => pattern.test(message)) ? { sampling: 'one' } : null),
  (message, sent) => {
    const named = ['temperature', 'top_p', 'top_k'].some((field) => field in sent && message.includes(field));
    return named ? { sampling: 'none' } : null;
  },
  (message, sent) => {
    const named = 'tool_choice' in sent && /tool_choice|forced? tool/.test(message);
    return named && !message.includes('thinking') ? { forcedTools: false } : null;
  },
  (message, { thinking: sent }, { thinking }) => {
    if (!isJsonObject(sent) || !message.includes('thinking')) return null;
    const { type } = sent;
    if (type === 'between_tools') return { thinking: { ...thinking, betweenTools: false } };
    if (type === 'disabled' || type === 'adaptive') return { thinking: { ...thinking, [type]: false } };
    return { thinking: { ...thinking, enabled: false, adaptive: message.includes('adaptive') } };
  },
  (message) => (message.includes('cache_control') ? { promptCache: false } : null),
  (message, { tools }) => {
    const types = (Array.isArray(tools) ? tools : []).map((tool) => isJsonObject(tool) && tool['type']);
    return types.some((type) => typeof type === 'string' && message.includes(type))
      ? { knownTools: false }
      : null;
  },
  (message, sent) => {
    const isNamed = messagesFieldNames.some((name) => name in sent && message.includes(name));
    return isNamed || message.includes('anthropic-beta') ? { messagesFields: false } : null;
  },
  (message) => (/\beffort\b/.test(message) ? { efforts: [] } : null),
  (message) =>
    /output_config|output_format|json_schema|strict/.test(message) ? { jsonSchema: false } : null,
];

function messageOf(error: Json | null): string | null {
  if (!isJsonObject(error)) return null;
  const inner = isJsonObject(error['error']) ? error['error'] : error;
  return typeof inner['message'] === 'string' ? inner['message'].toLowerCase() : null;
}
