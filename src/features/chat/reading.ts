import type { JsonObject } from '../../kernel/kit/json.ts';
import { PageError, type Found } from '../search/feature.ts';
import { attribute, contextBlock, neutralise } from '../tools/feature.ts';
import { renderConversation } from './conversation.ts';
import { notePrompt } from './prompts.ts';
import type { ChatWork } from './question.ts';

/** Longest text of one page. Unit: tokens. */
const pageTokensMax = 6_000;
const noteTokensMax = 600;
const noteCharsMax = 4_000;
/** Timeout of fetching and reading one page. Unit: ms. */
const timeoutMs = 20_000;

const schema: JsonObject = {
  type: 'object',
  properties: { relevant: { type: 'boolean' }, note: { type: 'string' } },
  required: ['relevant', 'note'],
  additionalProperties: false,
};

export interface Read {
  readonly source: Found;
  /** A note of what the page says on the question; null when it says nothing or the model gave no note. */
  readonly note: string | null;
}

/**
 * Reads pages at the same time and takes a note of each. A page that cannot be read is left out: what the search
 * showed of it stays. Only an abort rejects.
 */
export async function readPages(sources: readonly Found[], work: ChatWork): Promise<readonly Read[]> {
  const reads = await Promise.all(
    sources.map(async (source): Promise<Read | null> => {
      const page = await readPage(source, work);
      return page === null ? null : { source, note: await takeNote(page, source, work) };
    }),
  );
  return reads.filter((read) => read !== null);
}

async function readPage(
  { url }: Found,
  { pages, onFailure, question, signal }: ChatWork,
): Promise<string | null> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { text } = await pages.read(url, limited, {
      account: question.accountId,
      tokensMax: pageTokensMax,
    });
    return text.trim() === '' ? null : text;
  } catch (error) {
    signal.throwIfAborted();
    // That a page cannot be read is an ordinary answer; anything else is not.
    if (!(error instanceof PageError)) onFailure('page', error);
    return null;
  }
}

async function takeNote(
  text: string,
  { title, url }: Found,
  { question, generator }: ChatWork,
): Promise<string | null> {
  const note = `This is the text of ${attribute(url)}, titled "${attribute(title)}".`;
  const answer = await generator.ask({
    system: notePrompt,
    text: `${renderConversation(question.turns)}\n\n${contextBlock('page', note, neutralise(text))}`,
    schema,
    tokensMax: noteTokensMax,
  });
  const written = answer?.['note'];
  if (answer?.['relevant'] === false || typeof written !== 'string' || written.trim() === '') return null;
  return written.trim().slice(0, noteCharsMax);
}
