import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './guard.ts';
import type { HostLookup } from './guard-dns.ts';

/** The address may not be dialled. Nothing was sent. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

export class UnknownHost extends Error {
  override readonly name = 'UnknownHost';
}

// All addresses of a name are checked, and at most this many dialled.
const addressesDialledMax = 8;

/**
 * Creates the connector of the guarded client. It resolves the name once per connection, checks every address, and
 * dials exactly those, so that no second lookup can give another answer. The peer address is checked again
 * afterwards.
 */
export function createGuardedConnector(
  guard: AddressGuard,
  lookup: HostLookup,
  timeoutMs: number,
): buildConnector.connector {
  const open = async (target: buildConnector.Options): Promise<Socket> => {
    const host = target.hostname.replace(/\.$/, '');
    const port = Number(target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : target.port);
    const addresses = await resolveChecked(guard, lookup, host, port);
    const socket = await dial(target, addresses.slice(0, addressesDialledMax), timeoutMs);
    if (guard.mayDial(host, port, [socket.remoteAddress ?? ''])) return socket;
    socket.destroy();
    throw new RefusedAddress();
  };
  const deliver = async (
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> => {
    let socket: Socket;
    try {
      socket = await open(target);
    } catch (error) {
      callback(error instanceof Error ? error : new UnknownHost(), null);
      return;
    }
    callback(null, socket);
  };
  return (target, callback) => void deliver(target, callback);
}

function dial(
  target: buildConnector.Options,
  addresses: readonly string[],
  timeoutMs: number,
): Promise<Socket> {
  const connect = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    lookup: pinnedLookup(addresses),
    maxCachedSessions: 0,
  });
  return new Promise((resolve, reject) => {
    connect(target, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)));
  });
}

async function resolveChecked(
  guard: AddressGuard,
  lookup: HostLookup,
  host: string,
  port: number,
): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = isIP(host) > 0 ? [host] : await lookup(host, guard.isAllowed(host, port));
  } catch (error) {
    throw new UnknownHost('no address', { cause: error });
  }
  if (addresses.length === 0) throw new UnknownHost('no address');
  if (!guard.mayDial(host, port, addresses)) throw new RefusedAddress();
  return addresses;
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = answer;
    if (options.all === true) callback(null, answer);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };
}
