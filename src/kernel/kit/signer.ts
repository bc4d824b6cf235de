import { createHmac, timingSafeEqual } from 'node:crypto';

export type Signer = ReturnType<typeof createSigner>;

/** Signs with HMAC-SHA256 what has to come back unchanged, such as a position in a list. */
export function createSigner(secret: string) {
  const digest = (text: string) => createHmac('sha256', secret).update(text, 'utf8').digest();
  return {
    /** 43 characters of base64url. */
    sign: (text: string): string => digest(text).toString('base64url'),
    /** In constant time for equal lengths. */
    verify(text: string, signature: string): boolean {
      const given = Buffer.from(signature, 'base64url');
      const expected = digest(text);
      // The text must be canonical too: base64url decoding ignores trailing characters.
      return (
        given.length === expected.length &&
        timingSafeEqual(given, expected) &&
        given.toString('base64url') === signature
      );
    },
  };
}
