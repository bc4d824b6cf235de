import type { ProviderDeclaration } from '../define-provider.ts';
import { aiSdk } from './ai-sdk/provider.ts';
import { anthropic } from './anthropic/provider.ts';
import { local } from './local/provider.ts';
import { openAiCompatible } from './openai-compatible/provider.ts';

/** Every provider that can be configured, in the order in which the configuration describes them. */
export const modelProviders: readonly ProviderDeclaration[] = [openAiCompatible, anthropic, local, aiSdk];
