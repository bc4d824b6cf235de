/** Turns Markdown, as models and pages write it, into words for a terminal while it comes. */
export interface PlainAnswer {
  /** Returns what can be shown of it already; the rest of its last line is kept where marks may still follow. */
  write(text: string): string;
  /** Returns what is left. */
  end(): string;
}

export function createPlainAnswer(): PlainAnswer {
  let pending = '';
  let isCode = false;
  // What stands before `pending` in its line was shown.
  let isBegun = false;
  const toLine = (line: string): string => {
    if (!isBegun && /^\s{0,3}(?:`{3}|~{3})/.test(line)) {
      isCode = !isCode;
      return '';
    }
    const isHidden = !isBegun && !isCode && /^\s{0,3}(?:<!--|\|?[\s:|-]*-{3}[\s:|-]*$)/.test(line);
    if (isHidden) return '';
    return `${isCode ? line : toWords(line, isBegun)}\n`;
  };
  return {
    write(text) {
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      const shown = lines.map((line) => {
        const words = toLine(line);
        isBegun = false;
        return words;
      });
      const safe = isCode ? 0 : safeLengthOf(pending, isBegun);
      const begun = pending.slice(0, safe);
      pending = pending.slice(safe);
      isBegun ||= begun !== '';
      return shown.join('') + begun;
    },
    end() {
      const rest = pending === '' ? '' : toLine(pending).replace(/\n$/, '');
      pending = '';
      isBegun = false;
      return rest;
    },
  };
}

/** Letters up to the last space before anything that may be, or become, a mark. Markers of sources are none. */
function safeLengthOf(text: string, isBegun: boolean): number {
  if (!isBegun && /^\s{0,3}(?:[#>|~`*+<-]|$)/.test(text)) return 0;
  const mark = text
    .replaceAll(/\[\d{1,3}\](?=[^(])/g, (marker) => ' '.repeat(marker.length))
    .search(/[[*`_]/);
  const plain = mark === -1 ? text : text.slice(0, mark);
  return plain.lastIndexOf(' ') + 1;
}

function toWords(line: string, isBegun: boolean): string {
  const text = isBegun ? line : line.replace(/^\s{0,3}#{1,6} +/, '').replace(/^(\s*)[*+] /, '$1- ');
  const words = text
    .replaceAll(/!?\[([^[\]]{0,300})\]\((https?:[^()\s]{1,2000})\)/g, (_link, name: string, url: string) =>
      name === '' || name === url ? url : `${name} (${url})`,
    )
    .replaceAll(/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g, '$1')
    .replaceAll(/\*\*(?=\S)|(?<=\S)\*\*|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)|`/g, '');
  if (isBegun || !words.trimStart().startsWith('|')) return words;
  const cells = words.split('|').map((cell) => cell.trim());
  return cells.filter((cell) => cell !== '').join(' · ');
}
