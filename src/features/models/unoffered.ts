import type { Config } from '../../kernel/config.ts';
import { findNearest, toPath } from '../../kernel/config/names.ts';
import type { Models } from './registry.ts';

/**
 * A line for each name with a provider, in the configuration, that nothing is offered as: mostly misspelt names, which
 * would otherwise show up as a 503, or nowhere.
 */
export function findUnoffered(
  { family, models: own, aliases, prices, decisions }: Config,
  models: Pick<Models, 'find' | 'list'>,
): readonly string[] {
  const lines: string[] = [];
  const say = (path: string, id: string, effect: string): void => {
    const nearest = findNearest(
      id,
      models.list().map((listed) => listed.id),
    );
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    lines.push(`${path}: nothing is offered as ${id}${hint}; ${effect} until something is`);
  };
  for (const [name, targets] of Object.entries(own)) {
    for (const target of targets) {
      const id = typeof target === 'string' ? target : target.model;
      if (id !== 'auto' && models.find(id) === null)
        say(`models.${name}`, id, `${family}/${name} passes it by`);
    }
  }
  for (const [alias, target] of Object.entries(aliases.models)) {
    if (!target.includes('/') || decisions.served.includes(target) || models.find(target) !== null) continue;
    say(toPath('aliases.models', alias), target, `${alias} is refused`);
  }
  for (const id of Object.keys(prices).filter((item) => item.includes('/'))) {
    const path = toPath('prices', id);
    const found = models.find(id);
    if (found === null) say(path, id, 'it prices nothing');
    else if (found.id !== id)
      lines.push(`${path}: prices nothing; ${id} stands for ${found.id}, which can be priced`);
  }
  return lines;
}
