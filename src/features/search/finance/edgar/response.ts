import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { ResponseError } from '../../engine-exchange.ts';
import type { FinanceAnswer } from '../../finance.ts';
import { listAt, numberAt, objectAt, textAt, textsAt } from '../../hits.ts';

type Answer = Pick<FinanceAnswer, 'content' | 'sources'>;

const siteUrl = 'https://www.sec.gov';
const filingsMax = 5;
const yearsMax = 3;
const dayMs = 86_400_000;

/** Figures with the names that companies report them under, the commonest first. */
const figures: readonly (readonly [string, readonly string[]])[] = [
  ['Revenue', ['RevenueFromContractWithCustomerExcludingAssessedTax', 'Revenues', 'SalesRevenueNet', 'RevenueFromContractWithCustomerIncludingAssessedTax']],
  ['Gross profit', ['GrossProfit']],
  ['Operating income', ['OperatingIncomeLoss']],
  ['Net income', ['NetIncomeLoss', 'ProfitLoss']],
  ['Diluted earnings per share', ['EarningsPerShareDiluted', 'EarningsPerShareBasicAndDiluted']],
  ['Operating cash flow', ['NetCashProvidedByUsedInOperatingActivities', 'NetCashProvidedByUsedInOperatingActivitiesContinuingOperations']],
  ['Research and development', ['ResearchAndDevelopmentExpense']],
  ['Total assets', ['Assets']],
  ['Total liabilities', ['Liabilities']],
  ['Equity', ['StockholdersEquity', 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest']],
  ['Cash', ['CashAndCashEquivalentsAtCarryingValue']],
  ['Long-term debt', ['LongTermDebt', 'LongTermDebtNoncurrent']],
]; // prettier-ignore

/** Who a company is, and what it filed last. */
export function toProfile(body: Json, cik: string): Answer | null {
  if (!isJsonObject(body)) throw new ResponseError('the company is no object');
  const name = textAt(body, 'name');
  if (name === null) return null;
  const address = objectAt(objectAt(body, 'addresses'), 'business');
  const place = ['street1', 'city', 'stateOrCountryDescription', 'zipCode'].flatMap(
    (part) => textAt(address, part) ?? [],
  );
  const end = /^(?<month>\d{2})(?<day>\d{2})$/.exec(textAt(body, 'fiscalYearEnd') ?? '')?.groups;
  const lines = [
    `Name: ${name}`,
    line('Industry', textAt(body, 'sicDescription')),
    line('Exchanges', textsAt(body, 'exchanges').join(', ')),
    line('Tickers', textsAt(body, 'tickers').join(', ')),
    line(
      'Incorporated in',
      textAt(body, 'stateOfIncorporationDescription') ?? textAt(body, 'stateOfIncorporation'),
    ),
    line('Fiscal year ends', end === undefined ? null : `${end['month']}-${end['day']} (month-day)`),
    line('Address', place.join(', ')),
    line('Filer category', textAt(body, 'category')?.replaceAll(/<[^>]{0,20}>/g, ', ') ?? null),
    `CIK: ${cik}`,
    ...toFilings(objectAt(objectAt(body, 'filings'), 'recent')),
  ].filter((text) => text !== '');
  return {
    content: lines.join('\n'),
    sources: [`${siteUrl}/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}`],
  };
}

function line(label: string, value: string | null): string {
  return value === null || value === '' ? '' : `${label}: ${value}`;
}

/** Lists side by side: dates, forms and descriptions by place. */
function toFilings(recent: JsonObject | null): readonly string[] {
  const [dates, forms] = [textsAt(recent, 'filingDate'), textsAt(recent, 'form')];
  if (dates.length === 0 || dates.length !== forms.length) return [];
  const reports = dates
    .map((date, place) => ({ date, form: forms[place] ?? '' }))
    .filter(({ form }) => /^(?:10-K|10-Q|8-K|20-F|40-F|6-K|S-1|DEF 14A)/.test(form))
    .slice(0, filingsMax);
  return reports.length === 0
    ? []
    : ['Latest filings:', ...reports.map(({ date, form }) => `- ${form}, filed ${date}`)];
}

interface Figure {
  readonly end: string;
  readonly value: number;
  readonly filed: string;
  readonly accession: string;
}

/** Figures of the last years and of the last quarter or balance sheet, with the days they are of. */
export function toFinancials(body: Json, cik: string): Answer | null {
  if (!isJsonObject(body)) throw new ResponseError('the facts are no object');
  const concepts = objectAt(objectAt(body, 'facts'), 'us-gaap');
  const accessions: string[] = [];
  const lines = figures.flatMap(([label, names]) => {
    const found = names
      .map((name) => toYears(objectAt(objectAt(concepts, name), 'units')))
      .filter((one) => one !== null)
      // Companies change the name they report under; the one that goes on is meant.
      .toSorted((a, b) => (b.years[0]?.end ?? '').localeCompare(a.years[0]?.end ?? ''))[0];
    if (found === undefined) return [];
    if (found.years[0] !== undefined) accessions.push(found.years[0].accession);
    const years = found.years.map(({ end, value }) => `${formatNumber(value)} (${end})`).join(', ');
    return [`${label}, ${found.unit}: ${years}`];
  });
  if (lines.length === 0) return null;
  const [accession] = accessions;
  const name = textAt(body, 'entityName') ?? cik;
  const folder =
    accession === undefined
      ? []
      : [`${siteUrl}/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/`];
  return {
    content: [`${name}, figures of annual reports, with the last day of each year:`, ...lines].join('\n'),
    sources: folder.length > 0 ? folder : [`${siteUrl}/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}`],
  };
}

/** The last years of annual reports, the newest first. A later report may correct an earlier one. */
function toYears(
  units: JsonObject | null,
): { readonly unit: string; readonly years: readonly Figure[] } | null {
  const [unit] = Object.keys(units ?? {});
  if (units === null || unit === undefined) return null;
  const byEnd = new Map<string, Figure>();
  for (const entry of listAt(units, [unit], true)) {
    const figure = toFigure(entry);
    const known = figure === null ? undefined : byEnd.get(figure.end);
    if (figure !== null && (known === undefined || known.filed < figure.filed)) byEnd.set(figure.end, figure);
  }
  const years = [...byEnd.values()].toSorted((a, b) => b.end.localeCompare(a.end)).slice(0, yearsMax);
  return years.length === 0 ? null : { unit: unit.replace('/shares', ' a share'), years };
}

function toFigure(entry: JsonObject): Figure | null {
  const [end, filed, form, accession] = ['end', 'filed', 'form', 'accn'].map((name) => textAt(entry, name));
  const value = numberAt(entry, 'val');
  if (typeof end !== 'string' || typeof filed !== 'string' || typeof accession !== 'string' || value === null)
    return null;
  if (!/^(?:10-K|20-F|40-F)/.test(form ?? '') || !/^\d{10}-\d{2}-\d{6}$/.test(accession)) return null;
  const start = textAt(entry, 'start');
  // Annual reports repeat quarters; a balance sheet has no start.
  const days = start === null ? null : (Date.parse(end) - Date.parse(start)) / dayMs;
  return days === null || (days > 340 && days < 390) ? { end, value, filed, accession } : null;
}

/** A figure as people read it: `391.04 billion`, `6.11`, `-1.2 million`. */
function formatNumber(value: number): string {
  for (const [size, word] of [
    [1e12, 'trillion'],
    [1e9, 'billion'],
    [1e6, 'million'],
  ] as const)
    if (Math.abs(value) >= size) return `${Number((value / size).toFixed(2))} ${word}`;
  return String(value);
}
