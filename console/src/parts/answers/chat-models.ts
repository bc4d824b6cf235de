import { permittedModels } from '../../api/permitted-models.ts';

/** Suffixes of model names, and what those models do. */
const abouts: readonly (readonly [ending: string, about: string])[] = [
  ['-deep-research', 'Plans, searches up to ten times, reads pages and writes a report. Takes minutes.'],
  ['-reasoning-pro', 'One search, then an answer that begins with its reasoning.'],
  ['-pro', 'One search, then an answer.'],
];

/**
 * Names of the models of chat completions, from the published description. Aliases are left out.
 */
export function readChatModels(openapi: unknown): readonly string[] {
  const all = permittedModels(openapi, '/chat/completions');
  const [family = ''] = all;
  return all.filter((name) => name === family || name.startsWith(`${family}-`));
}

export function aboutChatModel(name: string): string {
  return abouts.find(([ending]) => name.endsWith(ending))?.[1] ?? 'One search, then an answer.';
}

/** Only these act on `reasoning_effort`. */
export function takesEffort(name: string): boolean {
  return name.endsWith('-deep-research');
}
