import { nullable, secret, url } from '../../../../kernel/config/shape.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { unusable } from '../../../../kernel/kit/call-failure.ts';
import { defineFinanceSource } from '../../define-source.ts';
import { ResponseError } from '../../engine-exchange.ts';
import type { FinanceAnswer } from '../../finance.ts';
import { numberAt, objectAt, textAt } from '../../hits.ts';
import { failureOf, toFault } from '../../upstream-fault.ts';
import { toUrl } from '../../wire-query.ts';

const publicUrl = 'https://api.twelvedata.com';
const siteUrl = 'https://twelvedata.com';
/** Credits come back by the minute. Unit: ms. */
const creditsMs = 60_000;

/** Last prices of securities, from Twelve Data. */
export const twelvedata = defineFinanceSource({
  type: 'twelvedata',
  settings: {
    description: 'Last prices of securities.',
    typeDescription: 'Last prices of securities, from Twelve Data.',
    keys: {
      url: nullable(url('Address of the interface.'), 'Address of the interface; null is the public one.'),
      key: secret('API key of the service.'),
    },
  },
  open: ({ calls, url: base, key }) => ({
    categories: ['quote'],
    async find(_category, ticker, signal) {
      const request = {
        url: toUrl(base ?? publicUrl, '/quote', { symbol: ticker }),
        headers: { authorization: `apikey ${key}` },
      };
      try {
        return await calls.json(request, (body) => toQuote(body, ticker), signal);
      } catch (error) {
        if ([400, 404].includes(failureOf(error)?.status ?? 0)) return null;
        throw error;
      }
    },
  }),
});

/** Errors may come with status 200 and a code of their own. */
function toQuote(body: Json, ticker: string): FinanceAnswer | null {
  if (!isJsonObject(body)) throw new ResponseError('the quote is no object');
  if (textAt(body, 'status') === 'error') return refused(numberAt(body, 'code'));
  const [close, day] = [textAt(body, 'close'), textAt(body, 'datetime')];
  if (close === null || day === null) throw new ResponseError('the quote has no price');
  const year = objectAt(body, 'fifty_two_week');
  const currency = textAt(body, 'currency') ?? '';
  const price = (value: string | null) => (value === null ? '' : `${Number(value)} ${currency}`.trim());
  const line = (label: string, value: string) => (value === '' ? [] : [`${label}: ${value}`]);
  const percent = textAt(body, 'percent_change');
  const [low, high] = [textAt(year, 'low'), textAt(year, 'high')];
  const lines = [
    `${textAt(body, 'name') ?? ticker} (${[textAt(body, 'symbol') ?? ticker, textAt(body, 'exchange')].filter((part) => part !== null).join(', ')})`,
    `Price on ${day}: ${price(close)}`,
    ...line('Change from the previous close', price(textAt(body, 'change'))),
    ...line('Change', percent === null ? '' : `${Number(percent)} %`),
    ...line('Open', price(textAt(body, 'open'))),
    ...line('High', price(textAt(body, 'high'))),
    ...line('Low', price(textAt(body, 'low'))),
    ...line('Previous close', price(textAt(body, 'previous_close'))),
    ...line('Volume', textAt(body, 'volume') ?? ''),
    ...(low === null || high === null ? [] : [`52 weeks: ${price(low)} to ${price(high)}`]),
    ...(body['is_market_open'] === true ? ['The market is open: the price is of today so far.'] : []),
  ];
  return { category: 'quote', content: lines.join('\n'), sources: [`${siteUrl}/`], tickers: [ticker] };
}

function refused(code: number | null): null {
  if (code === 400 || code === 404) return null;
  if (code !== 429) throw new ResponseError('the quote is an error');
  throw toFault({
    ...unusable('out of credits'),
    kind: 'unavailable',
    status: 429,
    retryAfterMs: creditsMs,
  });
}
