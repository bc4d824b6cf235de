import type { Effort } from '../models/feature.ts';

/** What kind of model a preset wants; which one it is, is configuration. */
export type AgentRole = 'fast' | 'main' | 'deep';

export interface Preset {
  readonly role: AgentRole;
  readonly stepsMax: number;
  readonly effort: Effort;
  readonly outputTokensMax: number;
  readonly searchResultsMax: number;
  /** Null where the preset reads no pages. */
  readonly urlsMax: number | null;
  readonly prompt: string;
}

const cite =
  'Cite every sentence that rests on a source with the number of the source in square brackets, like [1], directly ' +
  'after the statement. Use only numbers that the tools gave. Write no list of sources and no addresses.';

const quick =
  'Answer questions from the web. Search at most once, with a few short queries. Begin with the short answer, then add ' +
  `only what helps to understand it. If the search found nothing that answers the question, say so. ${cite}`;

const thorough =
  'Research questions. Split the question into the parts that have to be known, search for each, read the pages that ' +
  'matter, compare what they say and look again where they disagree or where something is missing. Say what is certain, ' +
  'what is disputed and what could not be found. Always end with one complete final answer to the whole question, that ' +
  `can be read without anything before it. ${cite}`;

const fast: Preset = {
  role: 'fast',
  stepsMax: 1,
  effort: 'low',
  outputTokensMax: 8_192,
  searchResultsMax: 10,
  urlsMax: null,
  prompt: quick,
};
const pro: Preset = {
  role: 'main',
  stepsMax: 5,
  effort: 'high',
  outputTokensMax: 16_384,
  searchResultsMax: 15,
  urlsMax: 1,
  prompt: thorough,
};
const deep: Preset = { ...pro, stepsMax: 10, effort: 'medium', outputTokensMax: 64_000 };
const advanced: Preset = { ...deep, role: 'deep', outputTokensMax: 128_000, urlsMax: 4 };

const presets: ReadonlyMap<string, Preset> = new Map([
  ['fast-search', fast],
  ['fast', fast],
  ['pro-search', pro],
  ['low', pro],
  ['deep-research', deep],
  ['medium', deep],
  ['advanced-deep-research', advanced],
  ['high', advanced],
  ['xhigh', advanced],
]);

export function findPreset(name: string): Preset | null {
  return presets.get(name) ?? null;
}
