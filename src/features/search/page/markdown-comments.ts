/** Where a comment begins, or code, which may show one. */
const opening =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?<fence>`{3,}(?=[^`\n]*$)|~{3,})|(?<![\\`])(?<ticks>`+)|<!--/gm;
/** Longer runs of marks open no code of a line: each length may be looked for once in a paragraph. */
const ticksMax = 16;

/**
 * A text without its comments, which no reader sees; those that code shows stay. One that never ends takes the rest with it
 * where it begins a line, and is text elsewhere. Linear in the length.
 */
export function withoutComments(text: string): string {
  const lastEnd = text.lastIndexOf('-->');
  const endOfParagraph = createParagraphs(text);
  const kept: string[] = [];
  const scan = new RegExp(opening);
  let from = 0;
  for (let found = scan.exec(text); found !== null; found = scan.exec(text)) {
    const { fence, ticks } = found.groups ?? {};
    if (fence !== undefined) scan.lastIndex = endOfFence(text, scan.lastIndex, fence);
    else if (ticks !== undefined) scan.lastIndex = endOfCode(text, scan.lastIndex, ticks, endOfParagraph);
    else if (found.index + 2 <= lastEnd || beginsLine(text, found.index)) {
      kept.push(text.slice(from, found.index));
      // "<!-->" and "<!--->" are whole comments.
      from = found.index + 2 <= lastEnd ? text.indexOf('-->', found.index + 2) + 3 : text.length;
      scan.lastIndex = from;
    }
  }
  return kept.join('') + text.slice(from);
}

/** Behind the line that closes the fence; the end of a text in which none does. */
function endOfFence(text: string, at: number, fence: string): number {
  const closing = new RegExp(`^[ \\t>]*${fence}[\`~]*[ \\t]*$`, 'gm');
  closing.lastIndex = at;
  return closing.exec(text) === null ? text.length : closing.lastIndex;
}

/** Behind as many marks in the same paragraph; without them these are marks and no code. */
function endOfCode(text: string, at: number, ticks: string, endOfParagraph: (at: number) => number): number {
  if (ticks.length > ticksMax) return at;
  const runs = /`+/g;
  runs.lastIndex = at;
  const end = endOfParagraph(at);
  for (let run = runs.exec(text); run !== null && run.index < end; run = runs.exec(text))
    if (run[0] === ticks) return runs.lastIndex;
  return at;
}

/** Looks for the next empty line once for each paragraph. */
function createParagraphs(text: string): (at: number) => number {
  const gap = /\n[ \t]*\n/g;
  let end = -1;
  return (at) => {
    if (at <= end) return end;
    gap.lastIndex = at;
    end = gap.exec(text)?.index ?? text.length;
    return end;
  };
}

/** Set in by a few signs at most. */
function beginsLine(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 8), at);
  return /(?:^|\n)[ \t>]*$/.test(at < 8 ? before : `-${before}`);
}
