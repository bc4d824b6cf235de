/** What is embedded of a passage. */
export interface PassageText {
  /** Of its document. */
  readonly title: string;
  /** Headings above it, the outermost first, parted by " > "; may be empty. */
  readonly heading: string;
  readonly text: string;
}

/** One text. */
export const wholePassage = ({ title, heading, text }: PassageText): string =>
  [title, heading, text].join('\n');

/** Units of title and headings that stand before each window. */
const headUnitsMax = 110;
/** Less prose than this says too little without the code beside it. Unit: UTF-16 units. */
const proseUnitsMin = 40;

/**
 * Texts of at most about `unitsMax` for an encoder that reads short ones best: prose without its markup, in windows of
 * about equal length at words, each behind title and headings. Addresses and code cost more tokens than they say.
 */
export function passageWindows({ title, heading, text }: PassageText, unitsMax: number): readonly string[] {
  const names = [title, ...heading.split(' > ').filter((one) => one !== '' && one !== title)];
  const head = toProse(names.join('. ')).slice(0, headUnitsMax);
  const { prose, code } = withoutCode(text);
  const said = toProse(prose);
  const body = said.length >= proseUnitsMin ? said : toProse(`${prose}\n${code}`).slice(0, unitsMax);
  return cutAtWords(body, Math.max(1, unitsMax - head.length)).map((part) =>
    head === '' ? part : `${head}\n${part}`,
  );
}

function withoutCode(text: string): { readonly prose: string; readonly code: string } {
  const [prose, code]: [string[], string[]] = [[], []];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(?<mark>```|~~~)/.exec(line)?.groups?.['mark'] ?? null;
    if (mark === null) (fence === null ? prose : code).push(line);
    else if (fence === null) fence = mark;
    else if (fence === mark) fence = null;
  }
  return { prose: prose.join('\n'), code: code.join('\n') };
}

/** Links by their words, and no pictures, tags, addresses and marks. */
function toProse(markdown: string): string {
  return markdown
    .replaceAll(/^\[[^\]\n]{1,200}\]:.*$/gm, '')
    .replaceAll(/!\[[^\]\n]{0,200}\](?:\([^()\n]{0,400}\)|\[[^\]\n]{0,100}\])/g, '')
    .replaceAll(/\[(?<label>[^[\]\n]{0,200})\](?:\([^()\n]{0,400}\)|\[[^\]\n]{0,100}\])/g, '$<label>')
    .replaceAll(/<\/?[a-z][^<>]{0,300}>/gi, ' ')
    .replaceAll(/https?:\/\/[^\s<>)]*/g, ' ')
    .replaceAll(/[-=~_>.]{3,}|[`*#|]/g, ' ')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** As few parts as may be, of about equal length. A text of nothing is one part. */
function cutAtWords(text: string, unitsMax: number): readonly string[] {
  const count = Math.max(1, Math.ceil(text.length / unitsMax));
  const bounds = Array.from({ length: count + 1 }, (_, part) => {
    const at = Math.round((part * text.length) / count);
    const space = text.indexOf(' ', at);
    return part === 0 ? 0 : part === count || space < 0 || space - at > wordUnitsMax ? at : space + 1;
  });
  return bounds.slice(1).map((end, part) => text.slice(bounds[part], end).trim());
}

const wordUnitsMax = 24;
