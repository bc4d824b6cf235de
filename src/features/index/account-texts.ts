import { Fault, invalidValue } from '../../kernel/faults.ts';
import { type Page, type PageRequest, readPage } from '../accounts/feature.ts';
import type { AccountLimits, AccountUse } from '../search/feature.ts';
import type { IndexingContext } from './context.ts';
import { sourceId } from './source.ts';
import type { SourceRow } from './store/sources.ts';
import type { TextHead } from './store/texts.ts';
import { splitText, textsLocation, textsSource } from './texts.ts';

/** A document that an account sends. A field that is null or absent is not known. */
export interface NewIndexText {
  readonly text: string;
  readonly title?: string | null;
  /** Where it is found; without one it gets an address of its own. */
  readonly url?: string | null;
  readonly language?: string | null;
  readonly date?: string | null;
}

export interface IndexText extends TextHead {
  readonly text: string;
}

/** Documents that accounts send. Every method rejects with a Fault that says what is wrong. */
export interface AccountTexts {
  /** Adds one, or replaces the one at its address: it is found when this resolves. */
  put(
    accountId: string,
    text: NewIndexText,
    signal: AbortSignal,
  ): Promise<{ readonly text: IndexText; readonly isNew: boolean }>;
  list(accountId: string, request: PageRequest): Promise<Page<TextHead>>;
  get(accountId: string, id: string): Promise<IndexText>;
  remove(accountId: string, id: string): Promise<void>;
  /** What the account has in the index, sources included, and what it may have. */
  use(accountId: string): Promise<AccountUse & AccountLimits>;
}

/** `begin`: has the server read a source in the background. */
export function createAccountTexts(
  context: IndexingContext,
  begin: (row: SourceRow) => Promise<unknown>,
): AccountTexts {
  const { texts, sources, corpus, clock, ids, limits } = context;
  return {
    async put(accountId, given, signal) {
      const id = `doc_${ids.uuid()}`;
      const { title, language = null, date = null, text, url: named = null } = given;
      const url = named === null ? `${ownUrls}${id}` : toUrl(named);
      const known = { url, title: title ?? '', language, date, text };
      const source = await sources.ensure(textsSource(accountId, clock.now()));
      const document = await splitText(context, known, accountId, signal);
      const stored = await texts.put(
        { ...known, title: document.title, id, accountId, writtenAtMs: clock.now() },
        [document],
      );
      // Vectors take long where a model makes them.
      if (document.embeddedBy !== context.embeddedBy) await begin(source);
      return { text: stored, isNew: stored.id === id };
    },
    list: (accountId, request) =>
      readPage(request, { ordinal: 'number' }, ({ after, limit }) =>
        texts.heads(accountId, after?.ordinal ?? 0, limit),
      ),
    async get(accountId, id) {
      const found = await texts.find(accountId, id);
      if (found === undefined) throw missing();
      return found;
    },
    async remove(accountId, id) {
      if (!(await texts.remove(accountId, sourceId(textsLocation, accountId), id))) throw missing();
    },
    use: async (accountId) => ({ ...(await corpus.use(accountId)), ...limits }),
  };
}

/** Addresses of documents that have no other. */
const ownUrls = 'nestor:document/';

function toUrl(given: string): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw invalidValue('url must be an http:// or https:// address', 'url');
  return url.href;
}

const missing = () => new Fault('not_found', 'document not found');
