/** A caller's own words as a message repeats them: whole when short, cut when long. */
export function quote(text: string, lengthMax = 120): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`;
}
