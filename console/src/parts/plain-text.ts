/** Passages are cut out of Markdown; a person reads their words, line by line, without its marks. */
export function toPlainText(passage: string): string {
  return passage
    .split('\n')
    .filter((line) => !isMark(line))
    .map((line) => toWords(line))
    .join('\n')
    .trim();
}

/** A fence, the line below a table's head, or a comment. */
const isMark = (line: string): boolean => /^ {0,3}(?:`{3}|<!--)|^\|[ :|-]*$/.test(line);

function toWords(line: string): string {
  const words = line
    .replace(/^ {0,3}#{1,6} /, '')
    .replaceAll(/\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replaceAll(/\*\*|`/g, '');
  if (!words.startsWith('|')) return words;
  const cells = words.split('|').map((cell) => cell.trim());
  return cells.filter((cell) => cell !== '').join(' · ');
}
