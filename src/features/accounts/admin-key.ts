import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../../kernel/kit/ids.ts';

/** Whether a key is the admin key, compared in constant time. */
export function createAdminCheck(adminKey: string): (key: string) => boolean {
  const expected = Buffer.from(hashSecret(adminKey), 'hex');
  return (key) => timingSafeEqual(Buffer.from(hashSecret(key), 'hex'), expected);
}
