import type { Settings } from '../services.ts';

/** Name that System One clients send when they want whatever is newest. */
const latest = 'jev-latest';
const upstreamDecider = 'pplx-decider-v1-27b';

/** Every name under which a decider may be asked for. Names are compared exactly. */
export function acceptedModels(
  { decisions, aliases }: Settings,
  surface: 'decisions' | 'systemone',
): Set<string> {
  const accepted = new Set(decisions.served);
  if (aliases.upstream) accepted.add(upstreamDecider);
  for (const [alias, canonical] of Object.entries(aliases.models)) {
    if (decisions.served.includes(canonical)) accepted.add(alias);
  }
  if (surface === 'systemone') accepted.add(latest);
  // No other name that ends so resolves where the interface is versioned by name.
  else for (const name of accepted) if (name.endsWith('-latest')) accepted.delete(name);
  return accepted;
}

export function permittedModels({ decisions }: Settings): string {
  return decisions.served.join(', ');
}

/** Deciders as the System One client lists them. */
export function systemOneModels({ decisions }: Settings) {
  return [...decisions.served, latest].map((name) => ({
    name,
    description:
      name === latest ? `Alias of ${decisions.served[0]}` : 'Answers typed questions with probabilities',
    release_date: '2026-11-20',
  }));
}
