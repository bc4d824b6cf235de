import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { countTokens } from '../../../kernel/kit/words.ts';
import { PageError, type Page, type PageReader } from '../../search/feature.ts';
import { Arguments } from '../arguments.ts';
import { attribute, failure, contextBlock, neutralise } from '../context-block.ts';
import type { Source, Tool, ToolRun } from '../tool.ts';
import { NamedAddresses } from './named-addresses.ts';

export interface FetchUrlOptions {
  readonly urlsMax: number;
  /** Over all pages of a call. Unit: tokens. */
  readonly tokensMax: number;
  /** Texts of others than the model. With them, only addresses that they, sources or pages name are read. */
  readonly named?: readonly string[];
}

export interface FetchUrlParts {
  readonly pages: PageReader;
  readonly onFailure: OnFailure;
  /** Unit: USD a page. */
  readonly priceUsd: number;
}

const urlCharsMax = 2_048;
const snippetCharsMax = 500;
const timeoutMs = 40_000;

const unnamed =
  'Only addresses that the user, search results or pages named are read here, exactly as they named them.';

type Read = { readonly url: string } & ({ readonly page: Page } | { readonly problem: string });

/** Reads pages by their addresses. */
export function createFetchUrl(
  options: FetchUrlOptions,
  { pages, priceUsd, onFailure }: FetchUrlParts,
): Tool {
  const { urlsMax, tokensMax } = options;
  const named = options.named === undefined ? null : namedIn(options.named);
  return {
    definition: {
      name: 'fetch_url',
      description: `Reads public web pages and documents by address, ${urlsMax === 1 ? 'one' : `up to ${urlsMax}`} at a time. Use it when a search result has to be read whole, or when the user names an address.`,
      parameters: {
        type: 'object',
        properties: {
          urls: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: urlsMax,
            description: 'Addresses that begin with http:// or https://.',
          },
        },
        required: ['urls'],
        additionalProperties: false,
      },
      strict: false,
    },

    async call(args, _callId, run) {
      const read = new Arguments(args);
      const urls = [...new Set(read.texts('urls', urlsMax, urlCharsMax))];
      if (read.problem !== null) return failure(read.problem);
      run.report({ type: 'page-urls', urls });
      const share = Math.max(1, Math.floor(tokensMax / urls.length));
      if (named !== null) addSources(named, run.sources());
      const results = await Promise.all(
        urls.map(async (url) => {
          if (named?.has(url) === false) return { url, problem: unnamed };
          return readOne({ pages, onFailure }, url, share, run);
        }),
      );
      const good = results.flatMap((one) => ('page' in one ? [one] : []));
      for (const { page } of good) for (const link of page.links) named?.add(link.url);
      const contents = good.map(({ url, page }) => ({
        url,
        title: page.title,
        snippet: page.text.slice(0, snippetCharsMax),
      }));
      run.report({ type: 'page-contents', contents });
      return {
        items: contents.length === 0 ? [] : [{ type: 'pages', contents }],
        text: results.map((one) => toText(one, run, share)).join('\n\n'),
        isError: good.length === 0,
        uses:
          good.length === 0
            ? []
            : [{ name: 'fetch_url', count: good.length, costUsd: good.length * priceUsd }],
      };
    },
  };
}

function namedIn(texts: readonly string[]): NamedAddresses {
  const named = new NamedAddresses();
  for (const text of texts) named.addText(text);
  return named;
}

function addSources(named: NamedAddresses, sources: readonly Source[]): void {
  for (const { url, text } of sources) {
    named.add(url);
    named.addText(text);
  }
}

async function readOne(
  { pages, onFailure }: Pick<FetchUrlParts, 'pages' | 'onFailure'>,
  url: string,
  tokensMax: number,
  { signal, accountId: account }: ToolRun,
): Promise<Read> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return { url, page: await pages.read(url, AbortSignal.any([signal, deadline]), { account, tokensMax }) };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return { url, problem: 'It took too long and was given up.' };
    // That a page cannot be read is an ordinary answer; anything else is not.
    if (error instanceof PageError) return { url, problem: error.message };
    onFailure('page', error);
    return { url, problem: 'It could not be read.' };
  }
}

function toText(read: Read, run: ToolRun, tokensMax: number): string {
  if ('problem' in read) return `${attribute(read.url)} was not read. ${read.problem}`;
  const { page } = read;
  const { title, text, date, lastUpdated, language } = page;
  const url = read.url;
  const { id } = run.cite({
    url,
    title,
    snippet: text.slice(0, snippetCharsMax),
    text,
    date,
    lastUpdated,
    language,
  });
  const cut = page.truncated
    ? `\n(Only the beginning, about ${Math.min(tokensMax, countTokens(text))} tokens.)`
    : '';
  const note = `This is the text of ${attribute(url)}, titled "${attribute(title)}". Cite it as [${id}].`;
  return contextBlock('page', note, `${neutralise(text)}${cut}`);
}
