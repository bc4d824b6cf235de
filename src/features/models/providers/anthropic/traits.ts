import type { Effort } from '../../model.ts';

export type WireEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** What one model accepts on the Messages wire. A setting that it would refuse is left out or sent in another form. */
export interface Traits {
  readonly images: boolean;
  readonly documents: boolean;
  /** `output_config.format` and `strict` tools. */
  readonly jsonSchema: boolean;
  /** An answer that continues the last assistant turn. */
  readonly prefill: boolean;
  /** `temperature` and `top_p`: both, one of them, or neither; `top_k` unless neither. */
  readonly sampling: 'both' | 'one' | 'none';
  /** `tool_choice` of `any` and `tool`. */
  readonly forcedTools: boolean;
  /** Values of `thinking.type`. */
  readonly thinking: {
    readonly adaptive: boolean;
    readonly enabled: boolean;
    readonly disabled: boolean;
    readonly betweenTools: boolean;
  };
  /** Values of `output_config.effort`, lowest first; empty where it is refused. */
  readonly efforts: readonly WireEffort[];
  /** Thoughts of answers before this one: of its own they have to be, and unchanged. */
  readonly thoughts: boolean;
  /** `cache_control`. */
  readonly promptCache: boolean;
  /** Fields that only Anthropic's own service has, and its betas. */
  readonly messagesFields: boolean;
  /** Tools that the model knows by their type, without a schema. */
  readonly knownTools: boolean;
  readonly contextTokensMax: number | null;
  readonly outputTokensMax: number | null;
}

/**
 * Traits that follow from the name of a model. Anthropic's list of models (see `listing.ts`) has most of them, but not
 * sampling, prefill and forced tools; lists of other servers have none. Other names than Claude's get the first version
 * of the wire, which every server that imitates it understands.
 */
export function traitsOf(name: string): Traits {
  if (!name.includes('claude')) return plainTraits;
  const { line, version } = readName(name);
  const alwaysThinks =
    line === 'fable' ||
    line === 'mythos' ||
    ((line === 'opus' || line === 'sonnet') && version >= claude(5, 5));
  const adaptive = version >= claude(4, 6);
  return {
    images: version >= claude(3, 0),
    documents: version >= claude(3, 5),
    jsonSchema: version >= claude(4, 5) || (line === 'opus' && version === claude(4, 1)),
    prefill: version < claude(4, 6),
    sampling: version >= claude(4, 7) ? 'none' : version >= claude(4, 1) ? 'one' : 'both',
    forcedTools: !(alwaysThinks && version >= claude(5, 1)),
    thinking: {
      adaptive,
      enabled: version >= claude(3, 7) && !adaptive,
      disabled: !alwaysThinks,
      betweenTools: line === 'sonnet' && version >= claude(5, 5),
    },
    efforts: effortsOf(line, version),
    thoughts: true,
    promptCache: true,
    messagesFields: true,
    knownTools: true,
    contextTokensMax: adaptive ? (line === 'haiku' ? null : 1_000_000) : 200_000,
    outputTokensMax: outputMaxOf(line, version),
  };
}

const plainTraits: Traits = {
  images: true,
  documents: false,
  jsonSchema: false,
  prefill: true,
  sampling: 'both',
  forcedTools: true,
  thinking: { adaptive: false, enabled: true, disabled: true, betweenTools: false },
  efforts: [],
  thoughts: true,
  promptCache: true,
  messagesFields: false,
  knownTools: false,
  contextTokensMax: null,
  outputTokensMax: null,
};

function claude(major: number, minor: number): number {
  return major * 100 + minor;
}

/** `claude-opus-4-7`, `claude-3-5-sonnet-20241022`, `claude-sonnet-4-20250514`, `claude-mythos-preview`. */
function readName(name: string): { readonly line: string; readonly version: number } {
  const line = /opus|sonnet|haiku|fable|mythos/.exec(name)?.[0] ?? '';
  const numbers = /claude-(?:[a-z]+-)?v?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  // A name without a number is newer than all that have one here: older ones are not offered any more.
  if (numbers === null) return { line, version: claude(5, 0) };
  return { line, version: claude(Number(numbers[1]), Number(numbers[2] ?? 0)) };
}

function effortsOf(line: string, version: number): readonly WireEffort[] {
  if (version >= claude(4, 7)) return ['low', 'medium', 'high', 'xhigh', 'max'];
  if (version >= claude(4, 6)) return ['low', 'medium', 'high', 'max'];
  return line === 'opus' && version === claude(4, 5) ? ['low', 'medium', 'high'] : [];
}

function outputMaxOf(line: string, version: number): number {
  if (version >= claude(4, 6)) return 128_000;
  if (version === claude(4, 5)) return 64_000;
  if (version >= claude(4, 0)) return line === 'opus' ? 32_000 : 64_000;
  if (version === claude(3, 7)) return 64_000;
  return version === claude(3, 5) ? 8_192 : 4_096;
}

const effortOrder: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The highest value of the model that is not above this effort, else its lowest; null for a model without values. */
export function toWireEffort(effort: Effort, { efforts }: Traits): WireEffort | null {
  const asked = effortOrder.indexOf(effort);
  return efforts.findLast((known) => effortOrder.indexOf(known) <= asked) ?? efforts[0] ?? null;
}
