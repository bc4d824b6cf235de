/** A caller's text for a message, cut when long. */
export function quote(text: string, lengthMax = 120): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`;
}
