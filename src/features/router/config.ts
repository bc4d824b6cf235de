import { section, toggle } from '../../kernel/config/shape.ts';

export const routerKeys = {
  router: section(
    { lenient: toggle(false, 'Ignore unknown request fields instead of refusing them.') },
    'The router.',
  ),
};
