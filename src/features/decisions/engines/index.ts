import type { DecisionEngine } from '../engine.ts';
import type { OpenLocalModel } from './local/index.ts';

export const decisionEngineNames = ['baseline', 'local', 'systemone', 'logprobs'] as const;
export type EngineName = (typeof decisionEngineNames)[number];

/** What an engine may be opened with; each takes what concerns it. */
export interface EngineOptions {
  /** A GGUF file; null where none was named or found. */
  readonly path: string | null;
  /** Use a GPU if there is one and the runtime is installed for it. */
  readonly gpu: boolean;
  /** Opens the file, or hands out the model that others in this process use already. */
  readonly openLocal?: OpenLocalModel;
  readonly upstreams: readonly {
    readonly url: string;
    readonly key: string | null;
    readonly model: string | null;
  }[];
  /** For a whole request. Unit: ms. */
  readonly timeoutMs: number;
  /** Told how much of a model's whole distribution fell on labels, in [0,1]. */
  readonly onLabelMass: (mass: number) => void;
}

/** An engine, and why it cannot work where that is known from the start. */
export type OpenedEngine = DecisionEngine & { readonly problem?: string | null };

/** Every engine by its public name. A member is loaded when it is opened: most servers use one. */
export const decisionEngines: Readonly<
  Record<EngineName, (options: EngineOptions) => Promise<OpenedEngine>>
> = {
  baseline: async () => (await import('./baseline/index.ts')).openBaselineEngine(),

  local: async ({ path, gpu, openLocal, onLabelMass }) => {
    if (path === null)
      throw new Error(
        'decisions.path: no GGUF file is named, and none lies in the data folder or its models folder',
      );
    const { openLocalEngine } = await import('./local/index.ts');
    return openLocalEngine({ path, gpu, onLabelMass, ...(openLocal && { open: openLocal }) });
  },

  systemone: async ({ upstreams, timeoutMs }) => {
    const { openSystemOneEngine } = await import('./systemone/index.ts');
    // The protocol's own name for whatever is newest.
    const named = upstreams.map(({ url, key, model }) => ({ url, key, model: model ?? 'jev-latest' }));
    return openSystemOneEngine({ upstreams: named, timeoutMs });
  },

  logprobs: async ({ upstreams, timeoutMs, onLabelMass }) => {
    const { openLogprobsEngine } = await import('./logprobs/index.ts');
    const named = upstreams.map(({ url, key, model }) => ({ url, key, model: model ?? '' }));
    return openLogprobsEngine({ upstreams: named, timeoutMs, onLabelMass });
  },
};
