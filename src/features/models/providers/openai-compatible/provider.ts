import { url } from '../../../../kernel/config/shape.ts';
import { defineProvider, remoteKeys, toRemoteOptions } from '../../define-provider.ts';

export const openAiCompatible = defineProvider({
  type: 'openai-compatible',
  settings: {
    description:
      'A server that speaks the OpenAI interface: OpenAI, vLLM, SGLang, llama-server, Ollama, OpenRouter and others.',
    typeDescription: 'Any server that speaks the OpenAI interface.',
    keys: {
      base_url: url('Address of the interface, with its version: https://api.openai.com/v1.'),
      ...remoteKeys,
    },
  },
  lists: true,
  async open(settings, context) {
    const { openOpenAiCompatible } = await import('./index.ts');
    return openOpenAiCompatible(toRemoteOptions(settings), context);
  },
});
