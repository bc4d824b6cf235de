import { nullable, section, text, toggle } from '../../kernel/config/shape.ts';

export const routerKeys = {
  router: section(
    { lenient: toggle(false, 'Ignore unknown request fields instead of refusing them.') },
    'The router.',
  ),
  anthropic: section(
    {
      default_model: nullable(
        text('A model or alias.'),
        'The model of every name on /anthropic that nothing else stands for.',
      ),
    },
    'The interface for clients of Anthropic.',
  ),
};
