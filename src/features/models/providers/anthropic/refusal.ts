import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Traits } from './traits.ts';

/**
 * What a refused request teaches about the model, for servers and models that `traits.ts` does not know: the request can
 * then be said in another way. Null when the refusal is about something else, or taught nothing new.
 */
export function learnFrom(error: Json | null, sent: JsonObject, traits: Traits): Partial<Traits> | null {
  const told = toldIn(error);
  if (told === null) return null;
  const learned = lessons.map((lesson) => lesson(told, sent, traits)).find((found) => found !== null);
  if (learned === undefined) return null;
  return JSON.stringify({ ...traits, ...learned }) === JSON.stringify(traits) ? null : learned;
}

type Lesson = (told: string, sent: JsonObject, traits: Traits) => Partial<Traits> | null;

/** "`temperature` and `top_p` cannot both be specified", and the like. */
const bothSamplings = [/temperature/, /top_p/, /both|together/];

const lessons: readonly Lesson[] = [
  (told) => (/prefill|must end with a user message/.test(told) ? { prefill: false } : null),
  (told) => {
    // "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for …"
    const most = /max_tokens: \d+ > (\d{3,7})\b/.exec(told)?.[1];
    return most === undefined ? null : { outputTokensMax: Number(most) };
  },
  (told) => (bothSamplings.every((words) => words.test(told)) ? { sampling: 'one' } : null),
  (told, sent) => {
    const named = ['temperature', 'top_p', 'top_k'].some((field) => field in sent && told.includes(field));
    return named ? { sampling: 'none' } : null;
  },
  (told, sent) => {
    const named = 'tool_choice' in sent && /tool_choice|forced? tool/.test(told);
    return named && !told.includes('thinking') ? { forcedTools: false } : null;
  },
  (told, { thinking: sent }, { thinking }) => {
    if (!isJsonObject(sent) || !told.includes('thinking')) return null;
    switch (sent['type']) {
      case 'disabled':
        return { thinking: { ...thinking, disabled: false } };
      case 'between_tools':
        return { thinking: { ...thinking, betweenTools: false } };
      case 'adaptive':
        return { thinking: { ...thinking, adaptive: false } };
      default:
        return { thinking: { ...thinking, enabled: false, adaptive: told.includes('adaptive') } };
    }
  },
  (told) => (/\beffort\b/.test(told) ? { efforts: [] } : null),
  (told) => (/output_config|output_format|json_schema|strict/.test(told) ? { jsonSchema: false } : null),
];

function toldIn(error: Json | null): string | null {
  if (!isJsonObject(error)) return null;
  const inner = isJsonObject(error['error']) ? error['error'] : error;
  return typeof inner['message'] === 'string' ? inner['message'].toLowerCase() : null;
}
