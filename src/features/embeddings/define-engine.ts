import type { OpenEncoder } from '../models/feature.ts';
import type { EmbeddingEngine } from './embedding.ts';

/** What an engine may be opened with; each takes what concerns it. */
export interface EmbeddingEngineOptions {
  /** A GGUF file, or a folder or graph in ONNX form; null where none was named. */
  readonly path: string | null;
  /** Use a GPU if there is one and the runtime is installed for it. */
  readonly gpu: boolean;
  /** Threads that evaluate: of a GGUF file together, of a model in ONNX form one job each. What suits the machine by default, and for null. */
  readonly threads?: number | null;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
  readonly upstreams: readonly {
    readonly url: string;
    readonly key: string | null;
    readonly model: string | null;
  }[];
  /** For a whole request. Unit: ms. */
  readonly timeoutMs: number;
  /** Opens the encoder that ships for all of this process; null without the memory for it, absent for this engine alone. */
  readonly openEncoder?: OpenEncoder | null;
}

/** An engine, and what is known of it from the start. */
export type OpenedEmbeddingEngine = EmbeddingEngine &
  OpeningReport & {
    /** What is known only once its model is open, for one that does not keep the server from starting. */
    readonly opened?: Promise<OpeningReport>;
  };

/** What there is to log of an engine that was opened, in one line each. */
export interface OpeningReport {
  /** Why it cannot work. */
  readonly problem?: string | null;
  /** What it opened, and the memory that takes. */
  readonly about?: string;
}

/** A member of the family, without its code: that is loaded by `open`, because most servers use one engine. */
export interface EmbeddingEngineDeclaration {
  /** Its name in `embeddings.engine`. */
  readonly name: string;
  /** It forwards to servers, so it needs at least one upstream. */
  readonly needsUpstreams?: boolean;
  /** Whether `auto` may choose it. The last engine of the list that suits is taken. */
  suits?(options: Pick<EmbeddingEngineOptions, 'path' | 'upstreams' | 'openEncoder'>): boolean;
  open(options: EmbeddingEngineOptions): Promise<OpenedEmbeddingEngine>;
}

/**
 * Declares an embedding engine. Its name in the configuration and what is checked there follow from the list in
 * `engines/index.ts`.
 *
 * @example
 * export const zero = defineEmbeddingEngine({ name: 'zero', open: async () => (await import('./index.ts')).openZero() });
 */
export const defineEmbeddingEngine = (engine: EmbeddingEngineDeclaration): EmbeddingEngineDeclaration =>
  engine;
