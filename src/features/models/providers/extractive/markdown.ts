/** What stands together in a text: a paragraph, an item of a list, a row of a table, a block of code. */
export interface Block {
  readonly kind: 'prose' | 'item' | 'row' | 'code';
  /** On one line and without markup; of code its lines as they stand. */
  readonly text: string;
  /** Those above it, the outermost first. */
  readonly headings: readonly string[];
  /** Of a row: the names of its columns, and what stands below them. */
  readonly columns: readonly string[];
  readonly cells: readonly string[];
  /** Of an item: whether its list is numbered. */
  readonly isStep: boolean;
  /** Language of the code, as its fence names it. */
  readonly language: string;
}

const fence = /^\s{0,8}(?<mark>`{3,}|~{3,})(?<language>[\w+-]*)/;
const headingLine = /^\s{0,3}(?<marks>#{1,6})\s+(?<text>\S.*)$/;
const listItem = /^\s*(?:(?<mark>[-*+•])|(?<number>\d{1,3})[.)])\s+(?=\S)/;
/** Rules, comments, definitions of links, and lines of pictures and tags alone: structure that says nothing. */
const structure = /^\s*(?:<!--|-->|[-=*_]{3,}\s*$|\[[^\]]+\]:\s|<\/?[a-z][^>]*>\s*$)/i;
const isRule = (line: string): boolean => line.includes('-') && /^[\s|:-]+$/.test(line);
/**
 * A passage may begin in the middle of a block of code, whose fence is then not seen. Wrapped prose begins lines with
 * `words of code` and with links as well, and ends them with semicolons: left out, such a line would leave the rest of
 * its sentence as one.
 */
const codeBeginning =
  /^(?:[{}\]"'$<]|\[(?![^\]]+\])|--?[A-Za-z]|curl\b|npm (?:i|install|run|start)\b|npx\b|import [\w{*'"]|export (?:[A-Z_]+=|const\b|default\b|function\b)|const\b|let \w+ =|return\b|\/\/)/;
const indented = /^(?: {4}|\t)\s*\S/;

/** Prose that is wrapped may go on with a quote. */
function isCodeLine(line: string, isInProse: boolean): boolean {
  const text = line.trim();
  if (/[{}\\]$/.test(text) || /":\s/.test(line)) return true;
  if (codeBeginning.test(text) && !(isInProse && /^(?:["'$[]|let |return\b|import\b|export\b)/.test(text)))
    return true;
  return text.endsWith(';') && /[=()]/.test(text);
}

/** Reads the structure of a Markdown text, wherever it begins and ends. */
export function toBlocks(text: string): readonly Block[] {
  const reader = new BlockReader();
  for (const line of text.split('\n')) reader.read(line);
  return reader.end();
}

const nothing = { columns: [], cells: [], isStep: false, language: '' } as const;

/**
 * Line by line: code until its fence, or else paragraphs and items until an empty line, and tables whose second line is
 * a rule.
 */
class BlockReader {
  readonly #blocks: Block[] = [];
  #headings: { readonly level: number; readonly text: string }[] = [];
  #open: string[] = [];
  #item: { readonly isStep: boolean } | null = null;
  /** Names of columns once a rule stood below them; before, the first row, which without a rule is one like the others. */
  #columns: readonly string[] | null = null;
  #firstRow: readonly string[] | null = null;
  #code: { readonly mark: string; readonly language: string; readonly lines: string[] } | null = null;
  /** Lines set in by four spaces, which are code outside of lists. */
  #indented: string[] = [];
  /** Behind a line that begins with a tag, until an empty one: what is set in there is no code. */
  #isInHtml = false;

  read(raw: string): void {
    // What is quoted has a structure of its own.
    const quoted = this.#code === null ? raw.replace(quoteMark, '') : raw;
    const line = this.#code === null ? this.#withoutHtml(quoted) : raw;
    const opening = fence.exec(line)?.groups;
    if (this.#code !== null) {
      if (opening?.['mark']?.startsWith(this.#code.mark) === true && opening['language'] === '')
        this.#endCode();
      else this.#code.lines.push(line);
      return;
    }
    if (opening !== undefined) {
      this.#close();
      this.#code = { mark: opening['mark'] ?? '', language: opening['language'] ?? '', lines: [] };
      return;
    }
    if (this.#open.length === 0 && this.#item === null && indented.test(line) && !listItem.test(line)) {
      this.#indented.push(line.replace(indentation, ''));
      return;
    }
    const heading = headingLine.exec(line)?.groups;
    if (heading !== undefined)
      this.#enter(heading['marks']?.length ?? 1, plainHeading(heading['text'] ?? ''));
    else if (isUnderline(line) && this.#open.length === 1) this.#underlined(line);
    else if (line.trim() === '') this.#closeParagraph();
    else if (line.trimStart().startsWith('|') || (this.#columns !== null && line.includes('|')))
      this.#row(line);
    else if (structure.test(line) || isCodeLine(line, this.#open.length > 0)) this.#close();
    else this.#prose(line);
  }

  /** Of lines of HTML their words; headings are as those of Markdown. */
  #withoutHtml(line: string): string {
    if (line.trim() === '') this.#isInHtml = false;
    else if (this.#open.length === 0 && this.#indented.length === 0 && tagLine.test(line))
      this.#isInHtml = true;
    if (!this.#isInHtml) return line;
    const { level, text = '' } = htmlHeading.exec(line)?.groups ?? {};
    return level === undefined
      ? line.replaceAll(tag, (one) => (one.startsWith('<br') ? ' ' : '')).trim()
      : `${'#'.repeat(Number(level))} ${text}`;
  }

  end(): readonly Block[] {
    if (this.#code !== null) this.#endCode();
    this.#close();
    return this.#blocks;
  }

  #prose(line: string): void {
    const marked = listItem.exec(line)?.groups;
    if (marked !== undefined) {
      this.#close();
      this.#item = { isStep: marked['number'] !== undefined };
    } else this.#closeIndented();
    this.#open.push(line.trim());
  }

  /** An empty line ends a paragraph, and what is set in behind an item still belongs to its list. */
  #closeParagraph(): void {
    const wasItem = this.#item;
    if (this.#indented.length > 0) this.#indented.push('');
    else this.#close();
    if (wasItem !== null) this.#item = null;
  }

  #close(): void {
    this.#endFirstRow();
    this.#columns = null;
    this.#closeIndented();
    const raw = this.#open.join(' ');
    const text = plain(raw.replace(listItem, ''));
    if (text !== '' && !isNavigation(raw))
      this.#add({ kind: this.#item === null ? 'prose' : 'item', text, isStep: this.#item?.isStep ?? false });
    this.#open = [];
    this.#item = null;
  }

  #closeIndented(): void {
    const text = this.#indented.join('\n').trimEnd();
    this.#indented = [];
    if (text !== '') this.#add({ kind: 'code', text });
  }

  #endCode(): void {
    const { lines = [], language = '' } = this.#code ?? {};
    this.#code = null;
    const text = lines.join('\n').trimEnd();
    if (text !== '') this.#add({ kind: 'code', text, language });
  }

  #row(line: string): void {
    if (this.#open.length > 0 || this.#indented.length > 0) this.#close();
    if (isRule(line)) {
      this.#columns ??= this.#firstRow ?? [];
      this.#firstRow = null;
      return;
    }
    this.#endFirstRow();
    const cells = cellsOf(line).map(plain);
    if (this.#columns === null) this.#firstRow = cells;
    else this.#addRow(cells);
  }

  /** A passage that begins in the middle of a table has rows and no names of columns. */
  #endFirstRow(): void {
    const cells = this.#firstRow;
    this.#firstRow = null;
    if (cells === null) return;
    this.#columns = [];
    this.#addRow(cells);
  }

  #addRow(cells: readonly string[]): void {
    const text = cells.filter((cell) => cell !== '').join(' ');
    if (text !== '') this.#add({ kind: 'row', text, columns: this.#columns ?? [], cells });
  }

  #enter(level: number, text: string): void {
    this.#close();
    this.#headings = [...this.#headings.filter((one) => one.level < level), { level, text }];
  }

  #underlined(line: string): void {
    const text = plainHeading(this.#open.join(' '));
    this.#open = [];
    this.#enter(line.trim().startsWith('=') ? 1 : 2, text);
  }

  #add(block: Pick<Block, 'kind' | 'text'> & Partial<Block>): void {
    this.#blocks.push({ ...nothing, ...block, headings: this.#headings.map(({ text }) => text) });
  }
}

const tagLine = /^\s{0,3}<\/?(?!http)[a-z][a-z0-9]{0,9}(?:\s[^<>]*)?\/?>/i;
const tag = /<\/?[a-z][a-z0-9]{0,9}(?:\s[^<>]*)?\/?>/gi;
const htmlHeading = /^\s{0,3}<h(?<level>[1-6])\b[^<>]*>(?<text>.*?)<\/h[1-6]>/i;
const indentation = /^(?: {4}|\t)/;
const quoteMark = /^\s{0,3}>[>\s]{0,8}(?:\[![A-Z]+\])?/;
const isUnderline = (line: string): boolean => /^\s{0,3}(?:={3,}|-{3,})\s*$/.test(line);

function cellsOf(line: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let isCode = false;
  for (const sign of line.trim().replace(/^\|/, '').replace(/\|$/, '')) {
    if (sign === '`') isCode = !isCode;
    if (sign === '|' && !isCode && !cell.endsWith('\\')) {
      cells.push(cell.trim());
      cell = '';
    } else cell += sign;
  }
  return [...cells, cell.trim()];
}

/** A list of contents, a line of badges or of links beside each other: hardly a word stands outside of the links. */
function isNavigation(raw: string): boolean {
  const links = raw.match(link)?.length ?? 0;
  if (links === 0) return false;
  const outside = raw.replaceAll(link, '').replaceAll(/[^\p{L}\p{N}]/gu, '');
  const isContents = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[[^\]]*\]\(#[^)]*\)\s*$/.test(raw);
  return isContents || outside.length === 0 || (links > 2 && outside.length < 4 * links);
}

const link = /!?\[[^\][]*\](?:\([^()]*\)|\[[^\][]*\])/g;

const plainHeading = (text: string): string =>
  plain(text.trimEnd().replace(/ #+$/, '')).replaceAll(/[*`]/g, '');

/** Numbers in brackets, which would be read as citations, and code, which is not. */
const numbered =
  /(`[^`]*`)|<sup>\\?\[\d{1,3}\\?\]<\/sup>|\\\[(\d{1,3})\\?\]|(\[\d{1,4}(?: ?, ?\d{1,4}){0,9}\])/g;
/** What stands before the number of a note: a sign that ends something, or a word that is no name of code. */
const noted = /(?:[\])}.,:;!?"”’»…]|(?<![\p{L}\p{N}_$.])\p{L}{2,})$/u;

/** Numbers of notes go, and others are set as code, or in parentheses where they were escaped. */
function withoutNotes(text: string): string {
  let [isNote, end] = [false, -1];
  return text.replaceAll(
    numbered,
    (
      mark: string,
      code: string | undefined,
      escaped: string | undefined,
      bare: string | undefined,
      at: number,
    ) => {
      if (code !== undefined) return code;
      if (bare === undefined) return escaped === undefined ? '' : `(${escaped})`;
      // What stands right behind another is what that is.
      if (at !== end)
        isNote = /^\[[1-9]\d{0,2}\]$/.test(bare) && noted.test(text.slice(Math.max(0, at - 32), at));
      end = at + mark.length;
      return isNote ? '' : `\`${bare}\``;
    },
  );
}

/** Words of links and not their addresses, no pictures, tags and marks of emphasis; code stays as it stands. */
function plain(text: string): string {
  const unlinked = text
    .replaceAll(/!\[[^\][]*\](?:\([^()]*\)|\[[^\][]*\])/g, '')
    .replaceAll(/\[(?!\d{1,4}\]\[\d)([^\][]*)\](?:\([^()]*\)|\[[^\][]*\])/g, '$1')
    .replaceAll(/\[\^[\w-]{1,20}\]/g, '');
  return withoutNotes(unlinked)
    .replaceAll(/<br ?\/?>/gi, ' ')
    .replaceAll(
      /(`[^`]*`)|<\/?[a-z][a-z0-9]{0,9}(?:\s[^<>]*)?\/?>|\*\*|__/gi,
      (_mark, code: string | undefined) => code ?? '',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
