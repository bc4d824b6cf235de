/** `http://host/v1`, with or without `/embeddings`, to the address of the operation. */
export function endpointOf(url: string): string {
  const base = url.replace(/(?<!\/)\/+$/, '');
  if (base.endsWith('/embeddings')) return base;
  return /\/v\d+$/.test(base) ? `${base}/embeddings` : `${base}/v1/embeddings`;
}

/** Floats as text: servers that know base64 are few, and all know this. */
export function toRequest(model: string, texts: readonly string[]): string {
  return JSON.stringify({ model, input: texts, encoding_format: 'float' });
}
