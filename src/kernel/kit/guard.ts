import ipaddr from 'ipaddr.js';

type UrlVerdict =
  | {
      readonly ok: true;
      /** As it will be requested: no fragment, host in lower case without a final dot. */
      readonly url: URL;
      /** Name or address, IPv6 without brackets. */
      readonly host: string;
      readonly port: number;
    }
  | {
      readonly ok: false;
      /** Public. */
      readonly message: string;
    };

export const privateAddressMessage = 'Private and internal addresses are not fetched.';

const urlLengthMax = 8_192;

/** Names that are never public: RFC 6761, 6762, 7686, 8375, 9476 and names that clouds use. */
const internalNames = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'lan',
  'private',
  'home.arpa',
  'in-addr.arpa',
  'ip6.arpa',
  'onion',
  'alt',
  'invalid',
  'test',
];

// Ranges open to names that the operator allowed. Not link-local: clouds put metadata services there, and the owner
// of a name can point it at them.
const privateRanges: ReadonlySet<string> = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal']);

const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');
// Metadata services of AWS and Google inside fc00::/7.
const metadataIpv6 = [ipaddr.IPv6.parseCIDR('fd00:ec2::/32'), ipaddr.IPv6.parseCIDR('fd20:ce::/32')];
// Private services in public space: Azure's wire server, Alibaba's metadata.
const metadataIpv4 = new Set(['168.63.129.16', '100.100.100.200']);

export type AddressGuard = ReturnType<typeof createAddressGuard>;

/**
 * Decides which addresses may be fetched on behalf of callers and pages. Contract 11.4. In `allowHosts`, `host` allows a
 * private host on ports 80 and 443, `host:port` that port of any host.
 */
export function createAddressGuard({ allowHosts }: { readonly allowHosts: readonly string[] }) {
  const allowed = allowHosts.map(parseAllowedHost);
  const isAllowed = (host: string, port: number): boolean =>
    allowed.some(
      (entry) => entry.host === host && (entry.port === null ? isStandard(port) : entry.port === port),
    );
  return {
    isAllowed,
    /** Checks what can be checked before the name is resolved. */
    checkUrl(text: string): UrlVerdict {
      if (text.length > urlLengthMax) return refuse(`Addresses are at most ${urlLengthMax} characters long.`);
      const url = URL.parse(text);
      if (url === null) return refuse('Not a valid address.');
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        return refuse('Only http and https addresses are fetched.');
      }
      if (url.username !== '' || url.password !== '') {
        return refuse('Addresses with a user name or password are not fetched.');
      }
      url.hash = '';
      if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const port = Number(url.port === '' ? defaultPort(url.protocol) : url.port);
      if (host === '' || host.endsWith('.')) return refuse('Not a valid address.');
      if (isAllowed(host, port)) return { ok: true, url, host, port };
      if (!isStandard(port)) return refuse('Only the ports 80 and 443 are fetched.');
      const inside = ipaddr.isValid(host) ? !isPublicAddress(host) : isInternalName(host);
      return inside ? refuse(privateAddressMessage) : { ok: true, url, host, port };
    },
    /** Whether all resolved addresses may be dialled; false for none. */
    mayDial(host: string, port: number, addresses: readonly string[]): boolean {
      const open = isAllowed(host, port);
      return (
        addresses.length > 0 &&
        addresses.every(
          (address) => isPublicAddress(address) || (open && (address === host || isPrivateAddress(address))),
        )
      );
    },
  };
}

/** Whether an address is on the public internet; false for forms that wrap another address. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return !metadataIpv4.has(address.toString());
  // ISATAP: an IPv4 address behind 0:5efe or 200:5efe in any prefix.
  const isatap = address.parts[5] === 0x5efe && ((address.parts[4] ?? 0) & 0xfdff) === 0;
  return address.match(publicIpv6) && !isatap;
}

function isPrivateAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || !privateRanges.has(address.range())) return false;
  if (address instanceof ipaddr.IPv4) return !metadataIpv4.has(address.toString());
  return !metadataIpv6.some((range) => address.match(range));
}

/** Null for incomplete and scoped (`fe80::1%eth0`) addresses. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.includes('%')) return null;
  if (text.includes(':')) return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null;
}

/** A name without a dot is completed from the machine's search list, so it is never public. */
function isInternalName(host: string): boolean {
  return !host.includes('.') || internalNames.some((name) => host === name || host.endsWith(`.${name}`));
}

function parseAllowedHost(entry: string) {
  const bare = entry.includes(':') && ipaddr.IPv6.isValid(entry) ? `[${entry}]` : entry;
  const url = URL.parse(`http://${bare}`);
  if (url === null || url.hostname === '' || /[\s/@?#\\]/.test(entry))
    throw new Error(`"${entry}" is neither host nor host:port`);
  // URL drops ":80", which is a port like any other here.
  const port = /:(?<port>\d+)$/.exec(bare.replace(/^.*\]/, ''))?.groups?.['port'];
  return {
    host: url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
    port: port === undefined ? null : Number(port),
  };
}

function isStandard(port: number): boolean {
  return port === 80 || port === 443;
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}

function refuse(message: string): UrlVerdict {
  return { ok: false, message };
}
