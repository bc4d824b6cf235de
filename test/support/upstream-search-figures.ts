/* Answers of search services as their public documentation and their servers give them, shortened. */

export const edgarTickers = {
  0: { cik_str: 320193, ticker: 'AAPL', title: 'Apple Inc.' },
  1: { cik_str: 1067983, ticker: 'BRK-B', title: 'BERKSHIRE HATHAWAY INC' },
};

export const edgarCompany = {
  cik: '0000320193',
  name: 'Apple Inc.',
  sicDescription: 'Electronic Computers',
  tickers: ['AAPL'],
  exchanges: ['Nasdaq'],
  stateOfIncorporation: 'CA',
  fiscalYearEnd: '0926',
  category: 'Large accelerated filer',
  addresses: { business: { street1: 'ONE APPLE PARK WAY', city: 'CUPERTINO', zipCode: '95014' } },
  filings: { recent: { filingDate: ['2024-11-01', '2024-10-31'], form: ['10-K', '8-K'] } },
};

const year = (start: string, end: string, val: number, filed: string) => ({
  start,
  end,
  val,
  accn: '0000320193-24-000123',
  fy: 2024,
  fp: 'FY',
  form: '10-K',
  filed,
});

export const edgarFacts = {
  cik: 320193,
  entityName: 'Apple Inc.',
  facts: {
    'us-gaap': {
      SalesRevenueNet: { units: { USD: [year('2016-09-25', '2017-09-30', 229_234_000_000, '2017-11-03')] } },
      RevenueFromContractWithCustomerExcludingAssessedTax: {
        label: 'Revenue',
        units: {
          USD: [
            year('2022-09-25', '2023-09-30', 383_285_000_000, '2023-11-03'),
            year('2023-10-01', '2024-09-28', 391_035_000_000, '2024-11-01'),
            // A quarter within the annual report.
            year('2024-06-30', '2024-09-28', 94_930_000_000, '2024-11-01'),
          ],
        },
      },
      EarningsPerShareDiluted: {
        units: { 'USD/shares': [year('2023-10-01', '2024-09-28', 6.08, '2024-11-01')] },
      },
    },
  },
};

export const twelveDataQuote = {
  symbol: 'AAPL',
  name: 'Apple Inc.',
  exchange: 'NASDAQ',
  mic_code: 'XNGS',
  currency: 'USD',
  datetime: '2024-11-01',
  timestamp: 1_730_467_800,
  open: '220.97000',
  high: '225.35001',
  low: '220.27000',
  close: '222.91000',
  volume: '65276700',
  previous_close: '225.91000',
  change: '-3.00000',
  percent_change: '-1.32796',
  is_market_open: false,
  fifty_two_week: { low: '164.08000', high: '237.49000' },
};
