import { CitationIndex } from '../agent/feature.ts';
import { beginningOf } from '../../kernel/kit/text.ts';
import { countTokens } from '../../kernel/kit/words.ts';
import type { Found } from '../search/feature.ts';
import type { ChatSource, GroundingContext } from './events.ts';
import { findMedia } from './media.ts';
import type { ChatWork } from './question.ts';
import { relatedTo } from './related.ts';
import { budgetOf, toSource, type Findings } from './research.ts';

/** Longest text of all attached files together. Unit: tokens. */
const attachmentTokensMax = 60_000;
/** Share of a model's context for the sources. */
const sourcesShare = 0.5;

/** Null where nothing was searched and nothing attached. */
export type SourceIndex = CitationIndex | null;

/** The sources that the answer may cite: attached files first, then what fits of what was found. */
export function toCitationIndex(
  { question: { attachments, search, modelName }, generator, models }: ChatWork,
  findings: Findings | null,
): SourceIndex {
  const searched = findings !== null && findings.queries > 0;
  if (attachments.length === 0 && !searched) return null;
  const context = models.find(modelName)?.contextTokensMax ?? null;
  const most = context === null ? Infinity : Math.floor(context * sourcesShare);
  const index = new CitationIndex();
  let left = Math.min(attachmentTokensMax, most);
  for (const { url, title, text } of attachments) {
    const cut = cutText(text, left);
    left -= countTokens(cut);
    index.cite({ url, title, text: cut, snippet: cut, date: null, lastUpdated: null, language: null });
  }
  if (findings === null || search === null) return index;
  const budget = budgetOf(search, generator);
  const { tokensMax, sourcesMax } = findings.depth;
  const attached = attachments.reduce((total, { text }) => total + countTokens(text), 0);
  const room = Math.max(0, most - Math.min(attached, attachmentTokensMax));
  const selection = {
    countMax: Math.max(search.resultsMax, sourcesMax ?? 0),
    tokensMax: Math.min(tokensMax ?? budget.tokensMax, room),
    tokensPerPageMax: budget.tokensPerPageMax,
  };
  for (const found of selectSources(findings.found, selection)) index.cite(found);
  return index;
}

export async function toGrounding(
  work: ChatWork,
  index: SourceIndex,
  findings: Findings | null,
): Promise<GroundingContext> {
  const { question } = work;
  const attached = new Set(question.attachments.map(({ url }) => url));
  const sources = (index?.all() ?? []).map((source): ChatSource => {
    const one = toSource(source);
    return attached.has(source.url) ? { ...one, kind: 'attachment' } : one;
  });
  const [media, related] = await Promise.all([
    findMedia(work),
    question.related ? relatedTo(work, sources) : null,
  ]);
  return { sources, ...media, related, queries: findings?.queries ?? 0, engines: findings?.engines ?? null };
}

interface Selection {
  readonly countMax: number;
  /** Over all, and of one. Unit: tokens. */
  readonly tokensMax: number;
  readonly tokensPerPageMax: number;
}

/** Less of a text than this says nothing. */
const restTokensMin = 40;

/** The first of the sources whose texts fit, the text of each cut at the end of a sentence where one is near. */
export function selectSources(
  found: readonly Found[],
  { countMax, tokensMax, tokensPerPageMax }: Selection,
): readonly Found[] {
  const selected: Found[] = [];
  let left = tokensMax;
  for (const one of found) {
    if (selected.length >= countMax || left <= 0) break;
    const whole = one.text.trim() === '' ? one.snippet : one.text;
    const text = cutText(whole, Math.min(left, tokensPerPageMax));
    const tokens = countTokens(text);
    if (text.length < whole.length && tokens < restTokensMin) break;
    left -= tokens;
    selected.push({ ...one, text });
  }
  return selected;
}

export function cutText(text: string, tokensMax: number): string {
  if (text.length <= tokensMax || countTokens(text) <= tokensMax) return text;
  let [low, high] = [0, text.length];
  // The count never falls with the length, so the longest beginning that fits is found by halves.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle)) <= tokensMax) low = middle;
    else high = middle - 1;
  }
  const cut = beginningOf(text, low);
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('\n'), cut.lastIndexOf('。'));
  return end > cut.length / 2 ? cut.slice(0, end + 1) : cut;
}
