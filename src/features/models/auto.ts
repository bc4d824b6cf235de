import { isForChat } from './catalog-data.ts';
import type { OfferedModel } from './model.ts';
import type { Backend, ProviderEntry } from './target.ts';

/**
 * The model that `auto` stands for. The first provider that offers a model which generates decides, in the order of
 * the configuration (or of detection). Of a list that the operator wrote it is the first; of a list that was asked for
 * it is the newest among those that the service is known for, else the newest at all. Equally new ones go by name.
 */
export function chooseAuto(entries: readonly ProviderEntry[]): Backend | null {
  for (const entry of entries) {
    const offered = choose(entry);
    if (offered === null) continue;
    const { provider } = entry;
    return { id: `${provider.name}/${offered.model.name}`, provider, offered };
  }
  return null;
}

function choose({ provider, asked, prefer }: ProviderEntry): OfferedModel | null {
  const generating = provider.models().filter(({ model }) => model.capabilities.generates);
  if (!asked) return generating[0] ?? null;
  const chat = generating.filter(({ model }) => isForChat(model.name));
  const preferred = prefer === null ? [] : chat.filter(({ model }) => prefer.test(model.name));
  const candidates = preferred.length > 0 ? preferred : chat;
  return (
    candidates.toSorted((a, b) => b.created - a.created || compare(a.model.name, b.model.name))[0] ?? null
  );
}

/** Higher version numbers first, so that equally new `gpt-5` and `gpt-4` are in the order one expects. */
function compare(a: string, b: string): number {
  return -a.localeCompare(b, 'en', { numeric: true });
}
