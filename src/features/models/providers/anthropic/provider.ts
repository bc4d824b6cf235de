import { url } from '../../../../kernel/config/shape.ts';
import { defineProvider, remoteKeys, toRemoteOptions } from '../../define-provider.ts';

export const anthropic = defineProvider({
  type: 'anthropic',
  settings: {
    description: 'A server that speaks the Anthropic messages interface.',
    typeDescription: 'The Anthropic messages interface.',
    keys: {
      base_url: url('Address of the interface, with its version.', {
        default: 'https://api.anthropic.com/v1',
      }),
      ...remoteKeys,
    },
  },
  lists: true,
  async open(settings, context) {
    const { openAnthropic } = await import('./index.ts');
    return openAnthropic(toRemoteOptions(settings), context);
  },
});
