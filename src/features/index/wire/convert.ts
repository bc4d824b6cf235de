import { toWire } from '../../../kernel/kit/wire-names.ts';
import type { IndexAdministration, IndexSource as Source } from '../administration.ts';
import type { AccountTexts, IndexText } from '../account-texts.ts';
import type { NewIndexSource } from '../check-source.ts';
import type { TextHead } from '../store/texts.ts';
import type { AccountIndex, IndexDocument, WholeIndexDocument } from './account/schema.ts';
import type { IndexSource, OperatorAddSourceRequest, RemovedSource } from './source-schema.ts';

export function toNewSource({ pages_max, account_id, ...rest }: OperatorAddSourceRequest): NewIndexSource {
  return { ...rest, pagesMax: pages_max ?? null, accountId: account_id ?? null };
}

export function toSource({ dueAtMs: nextRefreshAtMs, options, outcome, ...source }: Source): IndexSource {
  const { include, exclude, hosts, ...bounds } = options;
  return {
    object: 'index_source',
    ...toWire({ ...source, nextRefreshAtMs }),
    visibility: source.accountId === null ? 'shared' : 'account',
    options: { ...toWire(bounds), include: [...include], exclude: [...exclude], hosts: [...hosts] },
    outcome: outcome && { ...outcome, failures: [...outcome.failures] },
  };
}

export function toRemoval({
  id,
  location,
  documents,
}: Awaited<ReturnType<IndexAdministration['remove']>>): RemovedSource {
  return { object: 'index_source_removal', id, location, documents_removed: documents };
}

export function toIndex(use: Awaited<ReturnType<AccountTexts['use']>>): AccountIndex {
  return { object: 'index', ...toWire(use) };
}

export function toDocument({ id, url, title, language, date, writtenAtMs }: TextHead): IndexDocument {
  return { object: 'index_document', ...toWire({ id, url, title, language, date, writtenAtMs }) };
}

export function toWholeDocument(text: IndexText): WholeIndexDocument {
  return { ...toDocument(text), text: text.text };
}
