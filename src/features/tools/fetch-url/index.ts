import { Type } from 'typebox';
import { described, intBetween } from '../../../kernel/kit/schema.ts';
import { beginningOf } from '../../../kernel/kit/text.ts';
import { countTokens } from '../../../kernel/kit/words.ts';
import { PageError, type Page } from '../../search/feature.ts';
import { Arguments } from '../arguments.ts';
import { attribute, failure, contextBlock, neutralise } from '../context-block.ts';
import { defineTool, outputItem, reasoningEvent, type ToolDependencies } from '../define-tool.ts';
import { parametersOf, textList, type Source, type ToolRun } from '../tool.ts';
import { NamedAddresses } from './named-addresses.ts';

interface Contents {
  readonly contents: readonly { readonly url: string; readonly title: string; readonly snippet: string }[];
}

declare module '../tool.ts' {
  interface ToolItems {
    readonly pages: Contents;
  }

  interface ToolProgresses {
    readonly 'page-urls': { readonly urls: readonly string[] };
    readonly 'page-contents': Contents;
  }
}

const urlCharsMax = 2_048;
const snippetCharsMax = 500;
const timeoutMs = 40_000;

const unnamed =
  'Only addresses that the user, search results or pages named are read here, exactly as they named them.';

type Read = { readonly url: string } & ({ readonly page: Page } | { readonly problem: string });

const text = Type.String();
const ContentsSchema = Type.Array(Type.Object({ url: text, title: text, snippet: text }));

/** Reads pages by their addresses. */
export const fetchUrl = defineTool({
  name: 'fetch_url',
  request: {
    fields: described(
      {
        max_urls: intBetween('max_urls', 1, 10),
        total_budget_tokens: intBetween('total_budget_tokens', 1, 120_000),
      },
      { max_urls: 'Pages of one call.', total_budget_tokens: 'Text of all pages of one call.' },
    ),
    toOptions: ({ max_urls, total_budget_tokens }) => ({
      urlsMax: max_urls ?? 5,
      /** Over all pages of a call. Unit: tokens. */
      tokensMax: total_budget_tokens ?? 20_000,
    }),
  },
  price: { name: 'fetch_url', usd: 0.0005 },
  cites: true,
  items: {
    pages: outputItem('fetch_url_results', { contents: ContentsSchema }, ({ contents }: Contents) => ({
      contents,
    })),
  },
  progress: {
    'page-urls': reasoningEvent('fetch_url_queries', ({ urls }) => ({ urls })),
    'page-contents': reasoningEvent('fetch_url_results', ({ contents }) => ({ contents })),
  },
  open({ options: { urlsMax, tokensMax }, named: texts, charge, pages, onFailure }) {
    const named = texts === null ? null : namedIn(texts);
    const count = urlsMax === 1 ? 'one' : `up to ${urlsMax}`;
    return {
      description: `Reads public web pages and documents by address, ${count} at a time. Use it when a search result has to be read whole, or when the user names an address.`,
      parameters: parametersOf({ urls: textList(urlsMax, 'Addresses that begin with http:// or https://.') }),
      async run(args, _callId, run) {
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
          snippet: toSnippet(page),
        }));
        run.report({ type: 'page-contents', contents });
        return {
          items: contents.length === 0 ? [] : [{ type: 'pages', contents }],
          text: results.map((one) => toText(one, run, share)).join('\n\n'),
          isError: good.length === 0,
          uses: charge(good.length),
        };
      },
    };
  },
});

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
  { pages, onFailure }: Pick<ToolDependencies, 'pages' | 'onFailure'>,
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

/** Without half of a character at its end. */
const toSnippet = ({ text }: Page): string => beginningOf(text, snippetCharsMax);

function toText(read: Read, run: ToolRun, tokensMax: number): string {
  if ('problem' in read) return `${attribute(read.url)} was not read. ${read.problem}`;
  const { page } = read;
  const { title, text, date, lastUpdated, language } = page;
  const url = read.url;
  const { id } = run.cite({
    url,
    title,
    snippet: toSnippet(page),
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
