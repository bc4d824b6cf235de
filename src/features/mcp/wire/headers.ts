import { Fault } from '../../../kernel/faults.ts';
import type { Call } from '../../../kernel/http/operation.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { protocolVersions } from '../messages.ts';
import type { Settings } from '../../../kernel/feature.ts';

const localNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses a version of the protocol that is not spoken here, and pages that the operator has not allowed: a page that
 * makes its own name lead to this machine would otherwise be taken for a client on it. Throws Fault.
 */
export function checkHeaders(
  { origin, 'mcp-protocol-version': version }: Call['headers'],
  settings: Settings,
): void {
  if (typeof origin === 'string' && !isAllowed(origin, settings)) {
    throw new Fault('permission_denied', 'Pages of this origin may not call this server.');
  }
  if (version === undefined || protocolVersions.some((one) => one === version)) return;
  throw new Fault(
    'invalid_value',
    `Unsupported protocol version "${quote(String(version))}"; there are ${protocolVersions.join(', ')}`,
  );
}

function isAllowed(origin: string, { corsOrigins, publicUrl }: Settings): boolean {
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
  const parsed = URL.parse(origin);
  if (parsed === null) return false;
  return (
    localNames.has(parsed.hostname) || (publicUrl !== null && parsed.origin === URL.parse(publicUrl)?.origin)
  );
}
