import { section, timeout, toggle } from '../../kernel/config/shape.ts';

export const chatKeys = {
  chat: section(
    {
      timeout_s: timeout(900, 'Longest duration of a chat completion.'),
      think_preamble: toggle(true, 'Whether reasoning models begin their answer with their reasoning.'),
      lenient_roles: toggle(false, 'Merge neighbouring messages of one role instead of refusing them.'),
      citations: toggle(true, 'Whether replies carry the field `citations`.'),
    },
    'Chat completions.',
  ),
};
