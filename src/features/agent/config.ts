import { Type } from 'typebox';
import { oneOf, retentionDays, section } from '../../kernel/config/shape.ts';

const role = (description: string) =>
  Type.String({
    pattern: String.raw`^[a-z][a-z0-9-]{0,31}/\S+$`,
    allowed: 'provider/model',
    default: 'svc/svc',
    description,
  });

export const agentKeys = {
  agent: section(
    {
      roles: section(
        {
          fast: role('Model of short tasks.'),
          main: role('Model of ordinary tasks.'),
          deep: role('Model of thorough tasks.'),
        },
        'Models of the presets, as provider/model.',
      ),
      fetch: Type.Union([Type.Literal('any'), Type.Literal('seen')], {
        default: 'any',
        description:
          'Which addresses the agent may read: any, or only those that the user, search results or pages named.',
      }),
      verify: oneOf(['auto', 'off', 'mark', 'remove'], {
        default: 'auto',
        description:
          'What becomes of sentences that the sources they cite do not support: told (mark) or left out (remove). auto marks them where the encoder that ships decides.',
      }),
      retention_days: retentionDays(30, 'How long stored responses are kept.'),
    },
    'The agent.',
  ),
};
