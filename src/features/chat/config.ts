import { oneOf, section, timeout, toggle } from '../../kernel/config/shape.ts';

export const chatKeys = {
  chat: section(
    {
      timeout_s: timeout(900, 'Longest duration of a chat completion.'),
      think_preamble: toggle(true, 'Whether reasoning models begin their answer with their reasoning.'),
      lenient_roles: toggle(false, 'Merge neighbouring messages of one role instead of refusing them.'),
      citations: toggle(true, 'Whether replies carry the field `citations`.'),
      verify: oneOf(['auto', 'off', 'mark', 'remove'], {
        default: 'auto',
        description:
          'What becomes of sentences that the sources they cite do not support: told (mark) or left out (remove). auto marks them where the encoder that ships decides.',
      }),
    },
    'Chat completions.',
  ),
};
