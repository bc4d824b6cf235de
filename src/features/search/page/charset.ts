/** Text of bytes in the charset of their mark, of the head, of their own declaration, else UTF-8 or windows-1252. */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const label = charsetOfMark(bytes) ?? knownLabel(charset) ?? knownLabel(declaredCharset(bytes));
  if (label !== null) return new TextDecoder(label).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // What browsers fall back to in most places.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function charsetOfMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

function declaredCharset(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1');
  const found =
    /^<\?xml[^>]{0,200}\bencoding=["'](?<label>[\w.:-]{1,40})/i.exec(head) ??
    /<meta[^>]{0,500}?\bcharset\s*=\s*["']?\s*(?<label>[\w.:-]{1,40})/i.exec(head);
  const label = found?.groups?.['label']?.toLowerCase() ?? null;
  // Bytes that could be read as ASCII until here are not UTF-16.
  return label?.startsWith('utf-16') === true ? 'utf-8' : label;
}

function knownLabel(label: string | null): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    // A label of an encoding that nobody knows says nothing.
    return null;
  }
}
