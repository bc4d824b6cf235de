import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Effort, MessagesFields, OutputFormat } from '../../../models/feature.ts';
import type { Thoughts } from '../answer.ts';
import type { Ignored } from './ignored.ts';
import type { AnthropicCountRequest } from './schema.ts';

type Thinking = Pick<AnthropicCountRequest, 'thinking' | 'output_config'>;

/** Budgets up to which an effort is low and medium. Unit: tokens. */
const [lowMax, mediumMax] = [4_096, 16_384];

export function toReasoning({ thinking, output_config: config }: Thinking): {
  readonly effort: Effort | null;
  readonly reasoningTokens?: number;
} {
  const effort = config?.effort ?? null;
  switch (thinking?.type) {
    case 'disabled':
    case 'between_tools':
      return { effort: 'none' };
    case 'adaptive':
      // As Anthropic's models do where nothing is said.
      return { effort: effort ?? 'high' };
    case 'enabled': {
      const { budget_tokens: tokens } = thinking;
      if (tokens === undefined) return { effort: effort ?? 'high' };
      const implied = tokens <= lowMax ? 'low' : tokens <= mediumMax ? 'medium' : 'high';
      return { effort: effort ?? implied, reasoningTokens: tokens };
    }
    default:
      return { effort };
  }
}

/** Reasoning is shown to those who asked for it. */
export function toThoughts({ thinking }: Thinking): Thoughts {
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return 'dropped';
  return thinking.display === 'omitted' ? 'signed' : 'shown';
}

export function toFormat(body: Pick<AnthropicCountRequest, 'output_config' | 'output_format'>): OutputFormat {
  const format = body.output_config?.format ?? body.output_format ?? null;
  if (format === null) return { type: 'text' };
  return { type: 'json-schema', name: 'answer', schema: format.schema, description: null, strict: true };
}

/** Fields that this surface reads itself. */
const readFields = new Set(
  'model max_tokens messages system stream temperature top_p top_k stop_sequences thinking output_config output_format tools tool_choice betas'.split(
    ' ',
  ),
);

/** Fields that backends with all of the wire get as they are. They change nothing about what an answer may hold. */
const passedFields = new Set(['service_tier', 'inference_geo', 'speed', 'cache_control']);

/** The fields and betas for such backends; everything else that was sent is told. */
export function toMessagesFields(body: object, betaHeader: string, ignored: Ignored): MessagesFields {
  const fields: Record<string, Json> = {};
  const pass = (name: string, value: Json, path = name) => {
    fields[name] = value;
    ignored.addField(path);
  };
  for (const [name, value] of Object.entries(body as JsonObject)) {
    if (value === null) continue;
    if (passedFields.has(name)) pass(name, value);
    else if (name === 'context_management') {
      const edits = clearsOf(value);
      if (edits === null) ignored.add(name);
      else pass(name, { edits });
    } else if (name === 'output_config' && isJsonObject(value)) {
      for (const [inner, said] of Object.entries(value)) {
        if (inner === 'task_budget') pass(name, { task_budget: said }, `${name}.${inner}`);
        else if (inner !== 'effort' && inner !== 'format') ignored.add(`${name}.${inner}`);
      }
    } else if (!readFields.has(name)) ignored.add(name);
  }
  const betas = betaHeader.split(',').flatMap((name) => name.trim() || []);
  return { fields, betas };
}

/** The edits, where all of them clear something: others put blocks into the answer that go back with the next request. */
function clearsOf(management: Json): readonly Json[] | null {
  const edits = isJsonObject(management) ? (management['edits'] ?? []) : null;
  if (!Array.isArray(edits)) return null;
  const typeOf = (edit: Json) => (isJsonObject(edit) ? (edit['type'] ?? null) : null);
  const isClear = (type: Json) => typeof type === 'string' && type.startsWith('clear_');
  return edits.every((edit: Json) => isClear(typeOf(edit))) ? edits : null;
}
