const fence = /^\s*(?:```|~~~)/;
const listItem = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const heading = /^\s*#{1,6}\s/;
/** Rows of tables, comments, rules: structure that says nothing as a sentence. */
const structure = /^\s*(?:\||<!--|-->|[-=*_]{3,}\s*$)/;
/**
 * A passage may begin in the middle of a block of code, whose fence is then not seen. Wrapped prose begins lines with
 * `words of code` and with links as well, and ends them with semicolons: left out, such a line would leave the rest of
 * its sentence as one.
 */
const codeBeginning =
  /^(?:[{}\]"'$<]|\[(?![^\]]+\]\()|--?[A-Za-z]|curl\b|npm\b|npx\b|import\b|export\b|const\b|let\b|return\b|\/\/)/;

function isCodeLine(line: string): boolean {
  const text = line.trim();
  if (codeBeginning.test(text) || /[{}\\]$/.test(text) || /":\s/.test(line)) return true;
  return text.endsWith(';') && /[=()]/.test(text);
}

/**
 * The prose of a text, one string for each paragraph or item of a list: lines that were wrapped are joined, and
 * headings, tables and code are left out.
 */
export function toParagraphs(text: string): readonly string[] {
  const paragraphs: string[] = [];
  let open: string[] = [];
  let isCode = false;
  const close = () => {
    if (open.length > 0) paragraphs.push(open.join(' '));
    open = [];
  };
  for (const line of text.split('\n')) {
    if (fence.test(line)) {
      close();
      isCode = !isCode;
    } else if (isCode) continue;
    else if (line.trim() === '' || heading.test(line) || structure.test(line) || isCodeLine(line)) close();
    else {
      if (listItem.test(line)) close();
      open.push(line.trim());
    }
  }
  close();
  return paragraphs;
}
