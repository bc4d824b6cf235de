import type { SearchForm } from './to-body.ts';

export const emptyForm: SearchForm = { query: '', domains: '', recency: null, mode: 'web', count: '10' };

/** Names in the address of a search, which can be shared. */
const names = { query: 'q', domains: 'domains', recency: 'newer', mode: 'in', count: 'results' } as const;

export function toAddress(form: SearchForm): Readonly<Record<string, string>> {
  const given = Object.entries(names).flatMap(([field, name]) => {
    const value = form[field as keyof SearchForm];
    return value === null || value === emptyForm[field as keyof SearchForm] ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Readonly<Record<string, string>>;
}

/** The search that an address holds; values that no field has are left out. */
export function fromAddress(params: URLSearchParams): SearchForm {
  return {
    query: params.get(names.query) ?? '',
    domains: params.get(names.domains) ?? '',
    recency: oneOf(recencies, params.get(names.recency)),
    mode: oneOf(modes, params.get(names.mode)) ?? emptyForm.mode,
    count: oneOf(counts, params.get(names.count)) ?? emptyForm.count,
  };
}

export const recencies = ['hour', 'day', 'week', 'month', 'year'];
export const counts = ['3', '5', '10', '20'];
const modes = ['web', 'academic', 'sec'];

function oneOf(known: readonly string[], value: string | null): string | null {
  return value !== null && known.includes(value) ? value : null;
}
