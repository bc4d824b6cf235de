import type { Administration } from '../accounts/administration.ts';
import type { Tokens } from '../accounts/tokens.ts';
import type { DecisionEngine } from '../decisions/engine.ts';
import type { EmbeddingEngine } from '../embeddings/embedding.ts';
import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import type { Models } from '../models/registry.ts';
import type { SkillStore } from '../skills/skills.ts';
import type { FetchMedia } from './router-media.ts';

export type Health = 'ok' | 'down' | 'not_configured';

/** What operations may use. Opened by `server.ts`, which alone knows how. */
export interface Services {
  readonly decisions: DecisionEngine;
  readonly embeddings: EmbeddingEngine;
  readonly skills: SkillStore;
  readonly tokens: Tokens;
  readonly administration: Administration;
  readonly models: Models;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Reads images and documents that a caller names by address; absent where nothing may be fetched. */
  readonly fetchMedia?: FetchMedia;
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
  /** What the operator set for an item of the price list, or for a part of it. Unit: that of the item, USD. */
  readonly priceOf: (item: string, part: string) => number | undefined;
  /** Whether there is an admin key, and so an administration. */
  readonly admin: boolean;
  readonly decisions: {
    /** Names under which the decider answers. */
    readonly served: readonly string[];
    readonly inputTokensMax: number;
    readonly timeoutMs: number;
    /** Output is free. Unit: USD per million input tokens. */
    readonly priceUsdPerMillion: number;
  };
  readonly router: {
    /** Fields that strict mode refuses are dropped and named in a header. */
    readonly lenient: boolean;
    readonly timeoutMs: number;
  };
  readonly aliases: {
    /** The built-in names of the upstream service. */
    readonly upstream: boolean;
    readonly models: Readonly<Record<string, string>>;
  };
}
