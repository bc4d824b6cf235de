import { objectOf, objectsOf } from '../../../../kernel/kit/json-fields.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { ListedModel } from './listing.ts';
import type { ServerFamily } from './quirks.ts';

/** Calls an operation beside the versioned interface; `path` begins with a slash. */
export type CallBeside = (path: string, json: string | null) => Promise<OutboundOutcome>;

/** Models that are asked about; a self-hosted server has a handful. */
const shownMax = 64;

/** Adds what self-hosted servers publish beside the common list. Without an answer the entry stays as it is. */
export async function withDetails(
  models: readonly ListedModel[],
  family: ServerFamily,
  call: CallBeside,
): Promise<readonly ListedModel[]> {
  switch (family) {
    case 'llama-server':
      return fromProps(models, await call('/props', null));
    case 'lm-studio':
      return fromNativeList(models, await call('/api/v0/models', null));
    case 'ollama': {
      const shown: ListedModel[] = [];
      for (const model of models.slice(0, shownMax)) {
        const details = fromShow(model, await call('/api/show', JSON.stringify({ model: model.name })));
        if (details !== null) shown.push(details);
      }
      return [...shown, ...models.slice(shownMax)];
    }
    default:
      return models;
  }
}

/** llama-server. Its list names the window that a model was trained with, which is seldom the one that it serves. */
function fromProps(models: readonly ListedModel[], outcome: OutboundOutcome): readonly ListedModel[] {
  const props = bodyOf(outcome);
  const context = objectOf(props['default_generation_settings'])['n_ctx'];
  const vision = objectOf(props['modalities'])['vision'];
  return models.map((model) => ({
    ...model,
    contextTokensMax: typeof context === 'number' && context > 0 ? context : model.contextTokensMax,
    images: typeof vision === 'boolean' ? vision : model.images,
  }));
}

function fromNativeList(models: readonly ListedModel[], outcome: OutboundOutcome): readonly ListedModel[] {
  const { data } = bodyOf(outcome);
  const listed = objectsOf(data);
  const entries = new Map<Json | undefined, JsonObject>(listed.map((entry) => [entry['id'], entry]));
  return models.flatMap((model) => {
    const entry = entries.get(model.name);
    if (entry === undefined) return [model];
    if (entry['type'] === 'embeddings') return [];
    const context = entry['loaded_context_length'] ?? entry['max_context_length'];
    const contextTokensMax = typeof context === 'number' ? context : model.contextTokensMax;
    return [{ ...model, contextTokensMax, images: entry['type'] === 'vlm' }];
  });
}

/**
 * Ollama. Null for a model that cannot chat. Of windows only the one that the model's own file sets is believed: without
 * it Ollama serves some thousand tokens of however many the model has, and cuts longer prompts without a word.
 */
function fromShow(model: ListedModel, outcome: OutboundOutcome): ListedModel | null {
  const { capabilities, parameters } = bodyOf(outcome);
  const context = typeof parameters === 'string' ? /^num_ctx\s+(\d+)$/m.exec(parameters)?.[1] : undefined;
  const contextTokensMax = context === undefined ? model.contextTokensMax : Number(context);
  if (!Array.isArray(capabilities)) return { ...model, contextTokensMax };
  const can = (capability: string) => (capabilities as readonly Json[]).includes(capability);
  if (!can('completion')) return null;
  return {
    ...model,
    contextTokensMax,
    tools: can('tools'),
    images: can('vision'),
    reasoning: can('thinking'),
  };
}

function bodyOf(outcome: OutboundOutcome): JsonObject {
  return outcome.ok ? objectOf(outcome.body) : {};
}
