import { readFileSync } from 'node:fs';

/** Something that a developer may ask, the package whose README answers it, and others that do as well. */
export type ReadmeQuestion = readonly [question: string, name: string, ...others: string[]];

/** Packages that an installation has on every platform, drawn by the hash of their names. */
export const readmePackages: readonly string[] = (
  '@ai-sdk/gateway @ai-sdk/mistral @ai-sdk/open-responses @anthropic-ai/sdk @axe-core/playwright ' +
  '@cfworker/json-schema @exodus/bytes @fastify/ajv-compiler @fastify/busboy @fastify/deepmerge ' +
  '@fastify/fast-json-stringify-compiler @fastify/forwarded @fastify/merge-json-schemas @fastify/proxy-addr ' +
  '@hono/node-server @huggingface/tokenizers @langchain/core @langchain/openai @mozilla/readability ' +
  '@nodable/entities @opentelemetry/api @perplexity-ai/mcp-server @perplexity-ai/perplexity_ai @pinojs/redact ' +
  '@standard-schema/spec @vercel/oidc @xmldom/xmldom abstract-logging accepts ai ajv ajv-formats argparse ' +
  'async-function async-generator-function atomic-sleep avvio axe-core base64-js bcp-47 bintrees body-parser ' +
  'bytes call-bind-apply-helpers call-bound colorette content-disposition content-type cors data-urls ' +
  'dateformat debug denque depd dequal destroy dingbat-to-unicode duck dunder-proto ee-first eld end-of-stream ' +
  'entities es-define-property es-errors eventsource eventsource-parser express express-rate-limit fast-check ' +
  'fast-deep-equal fast-json-stringify fast-safe-stringify fast-sha256 fast-uri fast-xml-builder ' +
  'fast-xml-parser fastify fflate finalhandler forwarded function-bind get-proto gopd has-symbols help-me hono ' +
  'iconv-lite image-size immediate inherits ioredis ip-address ipaddr.js is-alphabetical is-alphanumerical ' +
  'is-unsafe jose js-tiktoken jsdom json-schema-ref-resolver json-schema-to-ts json-schema-typed kysely ' +
  'langsmith lie lop lru-cache mammoth math-intrinsics media-typer methods mime mime-db mime-types minimist ' +
  'negotiator object-assign object-inspect on-exit-leak-free on-finished once onnxruntime-web openai option ' +
  'oxlint oxlint-tsgolint p-timeout pako parse5 parseurl path-expression-matcher path-key pg-connection-string ' +
  'pg-pool pg-types pgpass pino pino-abstract-transport pino-pretty pkce-challenge postgres-date ' +
  'postgres-interval prettier process-warning proxy-addr pump punycode pure-rand qs range-parser raw-body re2js ' +
  'readable-stream real-require redis-errors ret reusify rfdc router safe-buffer safe-stable-stringify ' +
  'safer-buffer saxes secure-json-parse semver send serve-static set-cookie-parser side-channel ' +
  'side-channel-list side-channel-weakmap sonic-boom split2 sprintf-js statuses string_decoder strnum tdigest ' +
  'thread-stream toidentifier ts-algebra type-is typescript underscore undici unpipe util-deprecate utils-merge ' +
  'vary w3c-xmlserializer webidl-conversions whatwg-mimetype whatwg-url xml-naming xmlbuilder xmlchars yaml zod ' +
  'zod-to-json-schema'
).split(' ');

/** Questions that rankings may be tuned by. */
export const tuningQuestions: readonly ReadmeQuestion[] = [
  ['turn a query string with nested brackets into an object', 'qs'],
  ['does this version number satisfy a range like ^1.2', 'semver'],
  ['convert a Word file to web markup', 'mammoth'],
  ['guess in which language a sentence is written', 'eld'],
  ['pull the main article out of a cluttered page', '@mozilla/readability'],
  ['sign and check tokens for logins', 'jose'],
  ['are two objects the same all the way down', 'fast-deep-equal', 'dequal'],
  ['let browsers call my api from another domain', 'cors'],
  ['drop the oldest entries when a cache is full', 'lru-cache'],
  ['find bugs by feeding random inputs to my function', 'fast-check'],
  ['text in latin1 or shift_jis to a unicode string', 'iconv-lite'],
  [
    'real address of the visitor when requests come through a load balancer',
    'proxy-addr',
    '@fastify/proxy-addr',
    'forwarded',
    '@fastify/forwarded',
  ],
  ['width and height of a picture', 'image-size'],
  ['typesafe SQL query builder', 'kysely'],
  ['keep a pool of postgres connections open', 'pg-pool'],
  ['count tokens the way GPT does', 'js-tiktoken'],
  ['run front-end code in node with a fake document and window', 'jsdom'],
  ['check a site for accessibility problems in end-to-end tests', '@axe-core/playwright', 'axe-core'],
  ['listen for messages that a server pushes over plain HTTP', 'eventsource'],
  ['too many requests from one address should get 429', 'express-rate-limit'],
  ['is this address inside a subnet', 'ipaddr.js', 'ip-address'],
  ['make structured logs pleasant to look at in the terminal', 'pino-pretty'],
  ['blank out passwords in an object before it is written', '@pinojs/redact'],
  ['stringify an object that refers to itself', 'safe-stable-stringify', 'fast-safe-stringify'],
  ['regular expressions that cannot blow up', 're2js'],
  ['connect to a redis cluster', 'ioredis'],
  ['call back when a stream is over or has failed', 'end-of-stream', 'on-finished'],
  ['cut a stream into lines', 'split2'],
  ['read and write yaml with comments kept', 'yaml'],
  ['xml to javascript object', 'fast-xml-parser'],
  ['parse command line flags with few dependencies', 'minimist', 'argparse'],
  ['pad numbers and format strings as in C', 'sprintf-js'],
  ['which mime type belongs to a file extension', 'mime-types', 'mime'],
  ['read the whole body of a request as one buffer with a limit', 'raw-body'],
  ['hand static files from a folder to the browser', 'serve-static', 'send'],
  ['pkce code verifier and challenge', 'pkce-challenge'],
  ['percentiles of a stream of numbers without keeping them all', 'tdigest'],
  ['queue where both ends can be pushed and popped fast', 'denque'],
  ['turn a zod schema into json schema', 'zod-to-json-schema'],
  ['tell users that a function will go away', 'depd', 'util-deprecate', 'process-warning'],
];

/** Questions that nothing was chosen by: only measured. */
export const heldOutQuestions: readonly ReadmeQuestion[] = [
  ['give up on a promise that takes too long', 'p-timeout'],
  ['clone objects deeply and quickly', 'rfdc'],
  ['zip and unzip data in the browser', 'fflate', 'pako'],
  ['validate JSON against a schema', 'ajv', '@cfworker/json-schema'],
  ['routes and middleware for a small web server', 'express', 'hono', 'fastify', 'router'],
  ['HTML parser that follows the specification', 'parse5'],
  ['coloured output on the console', 'colorette'],
  ['HTTP client written from scratch for Node.js', 'undici'],
  ['show a date as dd.mm.yyyy', 'dateformat'],
  ['low overhead json logger', 'pino'],
  ['defend JSON.parse against __proto__ keys', 'secure-json-parse'],
  ['chain several streams and clean all of them up when one breaks', 'pump'],
  ['parse Set-Cookie headers', 'set-cookie-parser'],
  ['write an XML document with code', 'xmlbuilder', 'fast-xml-builder'],
  ['which of my languages or content types does the client want', 'accepts', 'negotiator'],
  ['name of the file that a download is saved as', 'content-disposition'],
  ['hash with sha-256 without native code', 'fast-sha256'],
  ['encode bytes as base64', 'base64-js'],
  ['sorted tree with iterators', 'bintrees'],
  ['break an en-Latn-US tag into its parts', 'bcp-47'],
  ['decode &amp;amp; and other character references', 'entities', '@nodable/entities'],
  ['derive static types from a JSON schema', 'json-schema-to-ts'],
  ['run a callback only the first time', 'once'],
  ['domain names with umlauts', 'punycode'],
  ['reproducible random numbers from a seed', 'pure-rand'],
  ['block the event loop for some milliseconds without burning cpu', 'atomic-sleep'],
  ['move heavy log writing to a worker thread', 'thread-stream'],
  ['start plugins one after the other before the server is ready', 'avvio'],
  ['handle file uploads from multipart forms', '@fastify/busboy'],
  ['merge two configuration objects recursively', '@fastify/deepmerge'],
  ['fast linter for typescript', 'oxlint'],
  ['opinionated code formatter', 'prettier'],
  ['emit spans and metrics independent of the vendor', '@opentelemetry/api'],
  ['see what my LLM chain did step by step', 'langsmith'],
  ['util.inspect that works in the browser', 'object-inspect'],
  ['split text as the tokenizer.json of a model says', '@huggingface/tokenizers'],
  ['run neural networks on a web page', 'onnxruntime-web'],
  ['password file of postgres', 'pgpass'],
  ['parse Range: bytes=0-499', 'range-parser'],
  ['add a field to the Vary header', 'vary'],
];

/**
 * What people may search who need one of the packages and do not know it: 575 by two language models that saw the READMEs and no
 * engine. They were looked at while weights of the ranking were tried.
 */
export const searches: readonly ReadmeQuestion[] = readFileSync(
  new URL('readme-searches.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { query: string; page: string })
  .map(({ query, page }) => [query, page]);
