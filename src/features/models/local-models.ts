import { resolve } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { Fault } from '../../kernel/faults.ts';
import type { LocalModel, LocalModelOptions } from './providers/local/engine.ts';
import { shareOpenings } from './shared-openings.ts';

export type OpenLocal = (options: LocalModelOptions) => Promise<LocalModel>;

/** Opens each GGUF file once, for decisions and answers alike. The runtime is loaded with the first file. */
export function shareLocalModels({ gpu, threads }: Pick<Config['decisions'], 'gpu' | 'threads'>): OpenLocal {
  const load = () => import('./providers/local/engine.ts');
  const open = createLocalModels(async (options) => (await load()).openLocalModel(options));
  // Decided here, because users with different settings would get two models of one file.
  return (options) => open({ ...options, gpu, threads });
}

/** One model per file for all its users. It closes with the last; a failed one is tried again by the next. */
export function createLocalModels(open: OpenLocal): OpenLocal {
  return shareOpenings(open, ({ gpu, path }) => `${gpu === true ? 'gpu' : 'cpu'} ${resolve(path)}`);
}

/**
 * What callers get where a model in this process failed. Errors that are neither Faults nor aborts come from native code,
 * or from a model that was closed meanwhile; `message` is told in their place.
 */
export function toEvaluationFault(error: unknown, signal: AbortSignal, message: string): unknown {
  if (error instanceof Fault || signal.aborted) return error;
  return new Fault('service_unavailable', message, { cause: error });
}

/** What is asked of a model that could not be loaded: refused with `message`. */
export function refuseAll(message: string): () => Promise<never> {
  return () => Promise.reject(new Fault('service_unavailable', message));
}
