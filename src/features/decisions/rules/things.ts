import { Phrases } from './cursor.ts';
import { amounts } from './detectors/amounts.ts';
import { cards, ibans } from './detectors/cards.ts';
import { emails, ipv4Addresses, ipv6Addresses, links, phones } from './detectors/contacts.ts';
import { dates } from './detectors/dates.ts';
import { anyOf, type Detector } from './detectors/detector.ts';
import { secrets } from './detectors/secrets.ts';
import {
  digits,
  emoji,
  emoticons,
  exclamationMarks,
  hashtags,
  numbers,
  questionMarks,
  repetitions,
} from './detectors/shape.ts';

/** A thing that has a form of its own, under a name for one or for several of it. */
export interface Thing {
  readonly detector: Detector;
  readonly isMany: boolean;
}

/** Names for one; several are the same with the ending that English gives them. */
const names: readonly (readonly [names: string, detector: Detector])[] = [
  ['e-mail address|email address|mail address|e-mail|email|email id', emails],
  [
    'phone number|telephone number|mobile number|cell number|mobile phone number|cell phone number|contact phone number',
    phones,
  ],
  ['card number|credit card number|debit card number|payment card number|bank card number', cards],
  ['contact detail', anyOf(emails, phones)],
  ['iban|bank account number in iban form', ibans],
  ['link|hyperlink|url|web address|web link|weblink|website address|website link', links],
  ['ip address|ip', anyOf(ipv4Addresses, ipv6Addresses)],
  ['ipv4 address', ipv4Addresses],
  ['ipv6 address', ipv6Addresses],
  [
    'api key|api token|secret key|secret|access token|access key|private key|auth token|bearer token|authentication token|credential',
    secrets,
  ],
  ['date|calendar date', dates],
  [
    'amount of money|sum of money|money amount|monetary amount|amount in dollars|amount in euros|dollar amount|euro amount|currency amount|monetary value|monetary sum|price',
    amounts,
  ],
  ['number', numbers],
  ['digit|numeral', digits],
  ['emoji', emoji],
  ['emoticon|smiley', emoticons],
  ['question mark', questionMarks],
  ['exclamation mark|exclamation point', exclamationMarks],
  ['hashtag|hash tag', hashtags],
  [
    'repetition|repeated sentence|repeated line|duplicate sentence|duplicate line|repeated phrase|duplicated sentence|duplicated line',
    repetitions,
  ],
];

export const things: ReadonlyMap<string, Thing> = new Map(
  names.flatMap(([all, detector]) =>
    all.split('|').flatMap((name): [string, Thing][] => [
      [name, { detector, isMany: false }],
      [manyOf(name), { detector, isMany: true }],
    ]),
  ),
);

export const thingNames = new Phrases(things.keys());

function manyOf(name: string): string {
  const [head = '', ...rest] = name.split(/ (?=of |in )/);
  const ending = /(?:s|x|ch|sh)$/.test(head) ? 'es' : 's';
  return [`${head}${ending}`, ...rest].join(' ');
}
