import type { Tokens } from '../accounts/tokens.ts';
import type { DecisionEngine } from '../decisions/engine.ts';

export type Health = 'ok' | 'down' | 'not_configured';

/** What operations may use. Opened by `server.ts`, which alone knows how. */
export interface Services {
  readonly decisions: DecisionEngine;
  readonly tokens: Tokens;
  /** State of each part by its name in `/readyz`. */
  readonly health: () => Readonly<Record<'store' | 'decisions' | 'chat' | 'search' | 'embeddings', Health>>;
  /** The published description, without `servers`. */
  readonly openapi: () => object;
}

/** What the declarations of operations depend on: names, limits and switches of the configuration. */
export interface Settings {
  readonly version: string;
  readonly family: string;
  readonly publicUrl: string | null;
  readonly decisions: {
    /** Names under which the decider answers. */
    readonly served: readonly string[];
    readonly inputTokensMax: number;
    readonly timeoutMs: number;
    /** Output is free. Unit: USD per million input tokens. */
    readonly priceUsdPerMillion: number;
  };
  readonly aliases: {
    /** The built-in names of the upstream service. */
    readonly upstream: boolean;
    readonly models: Readonly<Record<string, string>>;
  };
}
