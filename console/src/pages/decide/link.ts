import type { DecisionRequest } from './code.ts';

/** The part behind # stays in the browser: no server and no log gets it. */
const prefix = '#ask=';

/** What is asked, as the end of an address. */
export async function toHash(request: DecisionRequest): Promise<string> {
  const bytes = await through(
    new CompressionStream('deflate-raw'),
    new TextEncoder().encode(JSON.stringify(request)),
  );
  const text = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
  return prefix + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The JSON of what an address asks; null where it asks nothing that can be read. */
export async function fromHash(hash: string): Promise<string | null> {
  if (!hash.startsWith(prefix)) return null;
  try {
    const text = atob(hash.slice(prefix.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
    return new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), bytes));
  } catch {
    return null;
  }
}

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
