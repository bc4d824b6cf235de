/** ISO 639-1 code of a declared tag such as `de-AT` or `pt_BR`; null for any other text. */
export function toLanguage(tag: string | null | undefined): string | null {
  const found = /^\s*(?<language>[a-z]{2})(?:[-_,\s]|$)/i.exec(tag ?? '');
  return found?.groups?.['language']?.toLowerCase() ?? null;
}
