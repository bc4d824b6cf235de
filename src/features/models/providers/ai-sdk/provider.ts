import { nullable, text, url } from '../../../../kernel/config/shape.ts';
import { defineProvider, modelList, remoteKeys, toRemoteOptions } from '../../define-provider.ts';

export const aiSdk = defineProvider({
  type: 'ai-sdk',
  settings: {
    description: 'A provider package of the AI SDK.',
    typeDescription: 'Any provider package of the AI SDK.',
    keys: {
      package: text('npm name of the provider package, installed beside Nestor: @ai-sdk/mistral.'),
      base_url: nullable(url('Address.'), "Address of the interface; null is the package's own."),
      ...remoteKeys,
      models: modelList({ minItems: 1 }),
    },
  },
  async open(settings, context) {
    const { openAiSdk } = await import('./index.ts');
    const models = settings.models.map(({ id }) => id);
    return openAiSdk({ ...toRemoteOptions(settings), models, folders: context.packageFolders }, context);
  },
});
