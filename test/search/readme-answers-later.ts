import { hash } from 'node:crypto';
import type { AnswerQuestion } from './readme-answers.ts';

/**
 * Written after everything that `readme-answers.ts` was used for, beside the READMEs and before any answer or ranking of
 * them was seen.
 */
export const laterQuestions: readonly AnswerQuestion[] = [
  ['How large is the inflate-only build of fflate?', /3 ?kB/, 'fflate'],
  ['Which zlib version has pako ported?', /1\.2\.8/, 'pako'],
  ['Does saxes support HTML?', /does not support HTML/, 'saxes'],
  ['What happens when contentType.parse gets an invalid header?', /TypeError/, 'content-type'],
  ['What does parseRange return for an unsatisfiable range?', /-1/, 'range-parser'],
  ['Are overlapping ranges combined by default in range-parser?', /`?false`?/, 'range-parser'],
  [
    'What does secure-json-parse do by default with a __proto__ key?',
    /throws? a `?SyntaxError/,
    'secure-json-parse',
  ],
  ['How do I reopen a sonic-boom file for log rotation?', /reopen\(/, 'sonic-boom'],
  ['What is the default of maxWrite in sonic-boom?', /16384/, 'sonic-boom'],
  ['What happens in sonic-boom when the buffer would exceed maxLength?', /dropped/, 'sonic-boom'],
  ['Which message does a thread-stream worker post to emit a custom event?', /'EVENT'/, 'thread-stream'],
  ['How much slower is rfdc with circles?', /25%/, 'rfdc'],
  ['How does rfdc clone functions?', /referenced/, 'rfdc'],
  ['What does typeis return when the request has no body?', /`?null`?/, 'type-is'],
  ['What does status(306) do in statuses?', /throws/, 'statuses'],
  ['Which status codes expect an empty body according to statuses?', /\b204\b|status\.empty/, 'statuses'],
  ['Which status does send give for a dotfile with deny?', /403/, 'send'],
  ['In which unit is maxAge of set-cookie-parser?', /seconds/, 'set-cookie-parser'],
  ['Does set-cookie-parser validate sameSite?', /not\*? perform any validation/, 'set-cookie-parser'],
  [
    'What does safe-stable-stringify write for circular references by default?',
    /\[Circular\]/,
    'safe-stable-stringify',
  ],
  ['How do I limit the nesting depth in safe-stable-stringify?', /maximumDepth/, 'safe-stable-stringify'],
  ['Which address ranges does loopback stand for in proxy-addr?', /127\.0\.0\.1/, 'proxy-addr'],
  ['How do I emit a warning more than once with process-warning?', /unlimited/, 'process-warning'],
  ['How do I show only messages above a level in pino-pretty?', /minimumLevel/, 'pino-pretty'],
  ['When does pgpass return undefined?', /PGPASSWORD|cannot be read|no matching line/, 'pgpass'],
  ['Who holds the copyright of pgpass?', /Hannes/, 'pgpass'],
  ['How do I find out whether a function wrapped by once was called?', /\.called/, 'once'],
  ['How do I make once throw when it is called twice?', /once\.strict/, 'once'],
  ['Which quotes does object-inspect use for strings by default?', /single/, 'object-inspect'],
  ['What type does mime.lookup give when nothing is found?', /application\/octet-stream/, 'mime'],
  ['Who is the author of Kysely?', /Koskim/, 'kysely'],
  ['How many dependencies does jose have?', /no dependencies|Dependencies: 0/, 'jose'],
  ['How do I sign a JWT with jose?', /SignJWT/, 'jose'],
  ['How do I check that an encoding is supported in iconv-lite?', /encodingExists/, 'iconv-lite'],
  ['Which Node.js versions does ipaddr.js 1.x support?', /Node\.js < ?10/, 'ipaddr.js'],
  ['What is the default file extension of help texts in help-me?', /\.txt/, 'help-me'],
  ['Which status does finalhandler write when err is falsy?', /404/, 'finalhandler'],
  ['How big are the files that fast-xml-parser was tested with?', /100 ?mb/i, 'fast-xml-parser'],
  ['How often does depd show a message?', /once per unique/, 'depd'],
  ['Which environment variable enables the output of debug?', /DEBUG/, 'debug'],
];

/** What the READMEs do not say: of packages that they are about, and of other worlds. */
export const unanswerable: readonly string[] = [
  'How many threads does thread-stream start at most?',
  'Who wrote range-parser?',
  'Which port does finalhandler listen on by default?',
  'When was the first version of fflate released?',
  'How much does Kysely cost per month?',
  'Does once work with Python?',
  'What is the maximum length of a cookie in set-cookie-parser?',
  'How do I encrypt a file with pako?',
  'Which database does sonic-boom write its logs to?',
  'How do I configure a proxy password in proxy-addr?',
  'How fast is negotiator compared to accepts?',
  'In which year was saxes rewritten in Rust?',
  'What is the timeout of mime.lookup?',
  'How do I send an e-mail with nodemailer?',
  'How do I undo the last git commit?',
  'What is the capital of Mongolia?',
  'How many calories does a banana have?',
  'Who won the football world cup in 1990?',
  'How long do I boil an egg?',
  'Which vitamins are in spinach?',
];

/** Half of them in the order of their SHA-256: for tuning the first half, only counted the second. */
export function deal<Item>(items: readonly Item[], textOf: (item: Item) => string) {
  const order = items.toSorted((a, b) => (hash('sha256', textOf(a)) < hash('sha256', textOf(b)) ? -1 : 1));
  const half = order.length / 2;
  return { tuning: order.slice(0, half), counted: order.slice(half) };
}
