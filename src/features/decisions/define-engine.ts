import type { OpenLocal } from '../models/feature.ts';
import type { DecisionEngine } from './engine.ts';

/** What an engine may be opened with; each takes what concerns it. */
export interface EngineOptions {
  /** A GGUF file; null where none was named or found. */
  readonly path: string | null;
  /** Use a GPU if there is one and the runtime is installed for it. */
  readonly gpu: boolean;
  /** Opens the file, or hands out the model that others in this process use already. */
  readonly openLocal?: OpenLocal;
  readonly upstreams: readonly {
    readonly url: string;
    readonly key: string | null;
    readonly model: string | null;
  }[];
  /** For a whole request. Unit: ms. */
  readonly timeoutMs: number;
  /** Called with the share of a model's whole distribution that fell on labels, in [0,1]. */
  readonly onLabelMass: (mass: number) => void;
}

/** An engine, and why it cannot work where that is known from the start. */
export type OpenedEngine = DecisionEngine & { readonly problem?: string | null };

/** A member of the family, without its code: that is loaded by `open`, because most servers use one engine. */
export interface EngineDeclaration {
  /** Its name in `decisions.engine`. */
  readonly name: string;
  /** It forwards to servers, so it needs at least one upstream; `named`: and the name of a model for each. */
  readonly upstreams?: 'needed' | 'named';
  /** Whether `auto` may choose it. The last engine of the list that suits is taken. */
  suits?(options: Pick<EngineOptions, 'path' | 'upstreams'>): boolean;
  open(options: EngineOptions): Promise<OpenedEngine>;
}

/**
 * Declares a decision engine. Its name in the configuration and what is checked there follow from the list in
 * `engines/index.ts`.
 *
 * @example
 * export const coin = defineEngine({ name: 'coin', open: async () => (await import('./index.ts')).openCoin() });
 */
export const defineEngine = (engine: EngineDeclaration): EngineDeclaration => engine;
