import type { Preset } from '../presets.ts';
import type { AgentRequest, TextFormat } from './schema.ts';
import { toToolEcho } from './tools.ts';

/** What a response repeats of its request, after `usage` and in the order of the wire. Contract 7.4. */
export function toEcho(
  request: AgentRequest,
  preset: Preset | null,
  format: Extract<TextFormat, { type: 'json_schema' }> | null,
): object {
  const { reasoning } = request;
  return {
    background: request.background ?? false,
    store: request.store ?? true,
    previous_response_id: request.previous_response_id ?? null,
    instructions: request.instructions ?? null,
    metadata: request.metadata ?? {},
    max_output_tokens: request.max_output_tokens ?? preset?.outputTokensMax ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    max_steps: stepsOf(request, preset),
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    top_logprobs: request.top_logprobs ?? 0,
    reasoning:
      reasoning === undefined || reasoning === null
        ? null
        : { effort: reasoning.effort ?? null, summary: null },
    service_tier: 'default',
    text: { format: toFormatEcho(format) },
    tool_choice: request.tool_choice ?? 'auto',
    tools: toToolEcho(request.tools ?? []),
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
    safety_identifier: request.safety_identifier ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
  };
}

export function stepsOf(request: AgentRequest, preset: Preset | null): number {
  return request.max_steps ?? preset?.stepsMax ?? 1;
}

function toFormatEcho(format: Extract<TextFormat, { type: 'json_schema' }> | null): object {
  if (format === null) return { type: 'text' };
  const { name, schema, strict, description } = format;
  return { type: 'json_schema', name, schema, strict: strict ?? true, description: description ?? null };
}
