import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Source of ids and secrets, passed in so that tests can foresee them. */
export interface Ids {
  /** Lower-case UUID v4. */
  uuid(): string;
  /** Random bytes as base64url; 32 bytes give 43 characters. */
  secret(bytes: number): string;
}

export const randomIds: Ids = {
  uuid: () => randomUUID(),
  secret: (bytes) => randomBytes(bytes).toString('base64url'),
};

/** SHA-256 as hex, the only form in which a key is stored or looked up. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** 24 letters and digits from 18 random bytes. Two of the 62 are twice as likely, which costs half a bit of 144. */
export function shortId(ids: Ids): string {
  return ids.secret(18).replaceAll('-', 'x').replaceAll('_', 'X');
}
