import { basename } from 'node:path';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Ids } from '../../../kernel/kit/ids.ts';
import type { WordVectors } from '../../../kernel/kit/word-vectors.ts';
import type { Provider } from '../model.ts';
import type { LocalModel, LocalModelOptions } from './local/engine.ts';

interface Common {
  readonly name: string;
  /** `*` offers what the provider lists. */
  readonly models: '*' | readonly string[];
}

interface Remote extends Common {
  readonly key: string | null;
  /** Longest wait for the first event, and between any two. Unit: ms. */
  readonly timeoutMs: number;
  /** Longest duration of an answer. Unit: ms. */
  readonly totalTimeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a provider is opened with, by its type. */
export type ProviderSettings =
  | (Remote & { readonly type: 'openai-compatible' | 'anthropic'; readonly baseUrl: string })
  | (Remote & { readonly type: 'ai-sdk'; readonly package: string; readonly baseUrl: string | null })
  | (Common & {
      readonly type: 'local';
      readonly path: string;
      /** Less than the file was trained on, to save memory; null takes all. Unit: tokens. */
      readonly contextTokensMax: number | null;
    })
  | { readonly type: 'extractive'; readonly name: string };

export interface ProviderParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly vectors: () => WordVectors;
  /** Folders in which packages of the AI SDK are looked for, before Nestor's own. */
  readonly packageFolders: readonly string[];
  /** Opens a GGUF file, or hands out the one that others in this process use already. */
  readonly openLocal?: (options: LocalModelOptions) => Promise<LocalModel>;
}

/** A provider, and why it cannot work where that is known from the start. */
export type OpenedProvider = Provider & { readonly problem?: string | null };

/** Opens a provider of any type. A member is loaded when it is opened. Throws an Error for the operator. */
export async function openProvider(
  settings: ProviderSettings,
  parts: ProviderParts,
): Promise<OpenedProvider> {
  const { clock, ids } = parts;
  switch (settings.type) {
    case 'openai-compatible': {
      const { openOpenAiCompatible } = await import('./openai-compatible/index.ts');
      return openOpenAiCompatible(settings, { clock, ids });
    }
    case 'anthropic': {
      const { openAnthropic } = await import('./anthropic/index.ts');
      return openAnthropic(settings, { clock, ids });
    }
    case 'ai-sdk': {
      const { openAiSdk } = await import('./ai-sdk/index.ts');
      const models = settings.models === '*' ? [] : settings.models;
      return openAiSdk({ ...settings, models, folders: parts.packageFolders }, { clock, ids });
    }
    case 'local': {
      const { openLocal } = await import('./local/index.ts');
      const { name, path, models, contextTokensMax } = settings;
      const id = (models === '*' ? undefined : models[0]) ?? basename(path, '.gguf');
      // Prices and what the router serves are laid over by the registry, for every provider alike.
      const model = { id, contextTokensMax, price: null, router: true };
      return openLocal({ name, path, model }, { ids, ...(parts.openLocal && { open: parts.openLocal }) });
    }
    case 'extractive': {
      const { openExtractiveProvider } = await import('./extractive/index.ts');
      return openExtractiveProvider({ name: settings.name, vectors: parts.vectors });
    }
  }
}
