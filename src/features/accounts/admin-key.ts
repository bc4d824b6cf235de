import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../../kernel/kit/ids.ts';

/** Tells whether a key is that of the administration, in a time that does not depend on where the two differ. */
export function createAdminCheck(adminKey: string): (key: string) => boolean {
  const expected = Buffer.from(hashSecret(adminKey), 'hex');
  return (key) => timingSafeEqual(Buffer.from(hashSecret(key), 'hex'), expected);
}
