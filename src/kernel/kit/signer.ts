import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** 43 characters of base64url. */
  sign(text: string): string;
  /** In constant time for equal lengths. */
  verify(text: string, signature: string): boolean;
}

/** Signs what leaves this server and has to come back unchanged, such as the place in a list. HMAC-SHA256. */
export function createSigner(secret: string): Signer {
  const digest = (text: string) => createHmac('sha256', secret).update(text, 'utf8').digest();
  return {
    sign: (text) => digest(text).toString('base64url'),
    verify(text, signature) {
      const given = Buffer.from(signature, 'base64url');
      const expected = digest(text);
      // The text form has to be the canonical one too: base64url decoding forgives what was appended.
      return (
        given.length === expected.length &&
        timingSafeEqual(given, expected) &&
        given.toString('base64url') === signature
      );
    },
  };
}
