import { Agent, errors, request, type Dispatcher } from 'undici';
import { errorCode } from './errors.ts';
import { FairSlots, SlotsFull } from './fair-slots.ts';
import { createAddressGuard, privateAddressMessage, type AddressGuard } from './guard.ts';
import { createHostLookup, type HostLookup } from './guard-dns.ts';
import { acceptedEncodings, BodyRefusal, isKnownEncoding, readBody } from './guarded-body.ts';
import {
  isAccepted,
  isRedirect,
  keptHeaders,
  one,
  parseContentType,
  type GuardedHeaders,
} from './guarded-head.ts';
import { createGuardedConnector, RefusedAddress, UnknownHost } from './guarded-connect.ts';
import { Shares } from './shares.ts';

/** Why a fetch failed. An abort is none of these: it rejects. */
export type GuardedFailure =
  /** The address, or a redirect, is forbidden. Nothing was sent to it. */
  | 'refused'
  | 'dns'
  /** No connection: refused, no route, TLS. */
  | 'connect'
  /** Not HTTP, an oversized head, or a broken connection. */
  | 'protocol'
  | 'timeout'
  | 'too_large'
  /** Unknown, stacked or broken compression, or a bomb. */
  | 'encoding'
  | 'redirects'
  | 'status'
  | 'type'
  | 'busy';

export type GuardedOutcome =
  | {
      readonly ok: true;
      /** After redirects. */
      readonly url: string;
      readonly status: number;
      /** Lower case, without parameters; empty when missing. */
      readonly contentType: string;
      readonly charset: string | null;
      readonly headers: GuardedHeaders;
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | {
      readonly ok: false;
      readonly reason: GuardedFailure;
      /** Public: names no address and nothing that the server wrote. */
      readonly message: string;
      /** Null when no answer began. */
      readonly status: number | null;
      readonly headers: GuardedHeaders;
    };

interface GuardedRequest {
  readonly signal: AbortSignal;
  /** Whose share of the client it uses; the server's own by default. */
  readonly account?: string;
  /** Of the decoded body. */
  readonly bytesMax?: number;
  /** For the whole fetch, redirects included. Unit: ms. */
  readonly timeoutMs?: number;
  /** Media types, such as `text/html` or `image/*`. Sent; other types are refused before the body is read. */
  readonly accept?: readonly string[];
  /** Validators of an earlier answer, not sent after a redirect; an unchanged page has status 304. */
  readonly validators?: { readonly etag?: string; readonly lastModified?: string };
}

export interface GuardedClient {
  /** Rejects with the signal's reason only; everything else is an outcome. */
  fetch(url: string, request: GuardedRequest): Promise<GuardedOutcome>;
  close(): Promise<void>;
}

export interface GuardedClientOptions {
  readonly allowHosts: readonly string[];
  readonly userAgent: string;
  readonly lookup?: HostLookup;
}

export const pageBytesMax = 20_971_520;
export const imageBytesMax = 50_000_000;

const redirectsMax = 5;
const defaultTimeoutMs = 20_000;
const lookupTimeoutMs = 5_000;
const connectTimeoutMs = 10_000;
const headerBytesMax = 32_768;
const connectionsPerOriginMax = 8;
const fetchesMax = 256;
/** Waiting fetches; one account may fill half. */
const waitingMax = 256;
// Memory of all bodies being fetched, half for one account; 256 bodies of 50 MB would need 12.8 GB.
const heldBytesMax = 268_435_456;

const messages: Readonly<Record<GuardedFailure, string>> = {
  refused: privateAddressMessage,
  dns: 'The host of the address is unknown.',
  connect: 'No connection to the address could be made.',
  protocol: 'The server of the address broke off or does not speak HTTP.',
  timeout: 'The address did not answer in time.',
  too_large: 'What the address holds is too large.',
  encoding: 'What the address sent is compressed in a way that is not accepted.',
  redirects: 'The address redirects too often.',
  status: 'The address answered with an error.',
  type: 'The address holds another type of content than was asked for.',
  busy: 'Too many addresses are being fetched, please try again later.',
};

/**
 * Opens the only client for addresses that a caller or a page names. Contract 11.4. It sends no cookies, referrer or
 * credentials; a redirect is a new request, checked like the first.
 */
export function openGuardedClient({ allowHosts, userAgent, lookup }: GuardedClientOptions): GuardedClient {
  const guard = createAddressGuard({ allowHosts });
  const agent = new Agent({
    connect: createGuardedConnector(guard, lookup ?? createHostLookup(lookupTimeoutMs), connectTimeoutMs),
    connections: connectionsPerOriginMax,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: headerBytesMax,
    keepAliveMaxTimeout: 10_000,
    // The deadline over the whole fetch is kept here.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const slots = new FairSlots({ slotsMax: fetchesMax, waitingMax });
  const origins = new Map<string, Origin>();
  const held = new Shares(heldBytesMax);
  return {
    async fetch(url, asked) {
      asked.signal.throwIfAborted();
      const deadline = new AbortController();
      const timer = setTimeout(
        () => deadline.abort(new Error('deadline')),
        asked.timeoutMs ?? defaultTimeoutMs,
      );
      const signal = AbortSignal.any([asked.signal, deadline.signal]);
      const { account = '' } = asked;
      let claimed = 0;
      const claim = (bytes: number): boolean => {
        if (!held.take(account, bytes)) return false;
        claimed += bytes;
        return true;
      };
      try {
        return await slots.run(account, signal, () =>
          follow({ agent, guard, userAgent, origins, claim }, url, { ...asked, signal, account }),
        );
      } catch (error) {
        asked.signal.throwIfAborted();
        if (error instanceof SlotsFull) return failed('busy');
        return failed(deadline.signal.aborted ? 'timeout' : reasonOf(error));
      } finally {
        clearTimeout(timer);
        held.give(account, claimed);
      }
    },
    close: () => agent.destroy(),
  };
}

interface Dependencies {
  readonly agent: Agent;
  readonly origins: Map<string, Origin>;
  readonly guard: AddressGuard;
  readonly userAgent: string;
  readonly claim: (bytes: number) => boolean;
}

interface AccountRequest extends GuardedRequest {
  readonly account: string;
}

async function follow(
  dependencies: Dependencies,
  first: string,
  asked: AccountRequest,
): Promise<GuardedOutcome> {
  const { origins, guard } = dependencies;
  let address = first;
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const verdict = guard.checkUrl(address);
    if (!verdict.ok) return { ...failed('refused'), message: verdict.message };
    const { url } = verdict;
    const outcome = await atOrigin(origins, url.origin, asked, () =>
      ask(dependencies, url, asked, hop === 0),
    );
    if (typeof outcome !== 'string') return outcome;
    address = outcome;
  }
  return failed('redirects');
}

interface Origin {
  readonly slots: FairSlots;
  /** Running and waiting fetches. */
  uses: number;
}

/** Shares the connections to an origin by account, so that a slow host delays only those who asked for it. */
async function atOrigin<Result>(
  origins: Map<string, Origin>,
  name: string,
  { account, signal }: AccountRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const options = { slotsMax: connectionsPerOriginMax, waitingMax };
  const origin = origins.get(name) ?? { slots: new FairSlots(options), uses: 0 };
  origins.set(name, origin);
  origin.uses++;
  try {
    return await origin.slots.run(account, signal, work);
  } finally {
    if (--origin.uses === 0) origins.delete(name);
  }
}

/** Resolves to the outcome, or to the redirect's target. */
async function ask(
  dependencies: Dependencies,
  url: URL,
  asked: GuardedRequest,
  isFirst: boolean,
): Promise<GuardedOutcome | string> {
  const response = await request(url, {
    dispatcher: dependencies.agent,
    method: 'GET',
    headers: headersOf(dependencies.userAgent, asked, isFirst),
    signal: asked.signal,
  });
  const headers = keptHeaders(response.headers);
  const target = isRedirect(response.statusCode) ? headers.location : undefined;
  if (target === undefined) return read(dependencies, url, response, headers, asked);
  giveUp(response);
  // The length is checked before parsing; the guard refuses what does not parse.
  return target.length > 8_192 ? target : (URL.parse(target, url)?.href ?? '');
}

async function read(
  { claim }: Dependencies,
  url: URL,
  response: Dispatcher.ResponseData,
  headers: GuardedHeaders,
  { bytesMax = pageBytesMax, accept, signal }: GuardedRequest,
): Promise<GuardedOutcome> {
  const { statusCode: status, body } = response;
  const { contentType, charset } = parseContentType(one(response.headers['content-type']) ?? '');
  const encoding = (one(response.headers['content-encoding']) ?? '').trim().toLowerCase();
  const reason = ((): GuardedFailure | null => {
    if (status < 200 || status > 299) return 'status';
    if (!isKnownEncoding(encoding)) return 'encoding';
    if (!isAccepted(contentType, accept)) return 'type';
    return Number(one(response.headers['content-length']) ?? 0) > bytesMax ? 'too_large' : null;
  })();
  if (reason !== null) {
    giveUp(response);
    return failed(reason, status, headers);
  }
  try {
    const bytes = await readBody(body as AsyncIterable<Uint8Array>, encoding, { bytesMax, claim });
    return { ok: true, url: url.href, status, contentType, charset, headers, bytes };
  } catch (error) {
    giveUp(response);
    if (error instanceof BodyRefusal) return failed(error.failure, status, headers);
    if (signal.aborted) throw error;
    return failed('protocol', status, headers);
  }
}

function headersOf(
  userAgent: string,
  { accept, validators }: GuardedRequest,
  isFirst: boolean,
): Record<string, string> {
  const { etag, lastModified } = isFirst ? (validators ?? {}) : {};
  return {
    'user-agent': userAgent,
    accept: accept === undefined ? '*/*' : accept.join(', '),
    'accept-encoding': acceptedEncodings,
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

/** Closes the connection: the rest of an unwanted body may be endless. */
function giveUp({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {});
  body.destroy();
}

function reasonOf(error: unknown): GuardedFailure {
  if (error instanceof RefusedAddress) return 'refused';
  if (error instanceof UnknownHost) return 'dns';
  const isProtocol =
    error instanceof errors.HTTPParserError ||
    ['UND_ERR_SOCKET', 'UND_ERR_HEADERS_OVERFLOW', 'ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');
  return isProtocol ? 'protocol' : 'connect';
}

function failed(
  reason: GuardedFailure,
  status: number | null = null,
  headers: GuardedHeaders = {},
): Extract<GuardedOutcome, { ok: false }> {
  return { ok: false, reason, message: messages[reason], status, headers };
}
