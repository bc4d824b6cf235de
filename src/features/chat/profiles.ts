export interface ChatProfile {
  /** Shows its reasoning before the answer. */
  readonly thinks: boolean;
  /** Plans, searches many times, reads pages and keeps notes. */
  readonly isResearch: boolean;
  readonly callsFunctions: boolean;
}

/** The four models by what follows the family name. Contract 9. */
export const chatProfiles = {
  '': { thinks: false, isResearch: false, callsFunctions: false },
  '-pro': { thinks: false, isResearch: false, callsFunctions: true },
  '-reasoning-pro': { thinks: true, isResearch: false, callsFunctions: true },
  '-deep-research': { thinks: true, isResearch: true, callsFunctions: false },
} as const satisfies Record<string, ChatProfile>;

export interface SearchDepth {
  readonly roundsMax: number;
  readonly queriesPerRoundMax: number;
  /** Pages that are read whole in a round. */
  readonly pagesPerRoundMax: number;
  /** Text of sources that the answer may rest on; null leaves it to the context size. Unit: tokens. */
  readonly tokensMax: number | null;
  readonly sourcesMax: number | null;
}

const unread = { pagesPerRoundMax: 0, tokensMax: null, sourcesMax: null };
const once: SearchDepth = { ...unread, roundsMax: 1, queriesPerRoundMax: 2 };
const pro: SearchDepth = { ...unread, roundsMax: 5, queriesPerRoundMax: 3 };

const research = {
  low: { roundsMax: 3, queriesPerRoundMax: 2, pagesPerRoundMax: 3, tokensMax: 8_000, sourcesMax: 15 },
  medium: { roundsMax: 6, queriesPerRoundMax: 3, pagesPerRoundMax: 5, tokensMax: 16_000, sourcesMax: 30 },
  high: { roundsMax: 10, queriesPerRoundMax: 4, pagesPerRoundMax: 8, tokensMax: 32_000, sourcesMax: 50 },
} as const satisfies Record<string, SearchDepth>;

export function depthOf(
  { isResearch }: ChatProfile,
  isPro: boolean,
  effort: keyof typeof research,
): SearchDepth {
  if (isResearch) return research[effort];
  return isPro ? pro : once;
}
