/** What a file is read as. */
export type PageKind = 'html' | 'pdf' | 'docx' | 'markdown' | 'text' | 'csv' | 'json' | 'xml';

/** Kinds that callers may attach. Contract 9.2. */
export const fileKinds: ReadonlySet<PageKind> = new Set([
  'pdf',
  'text',
  'markdown',
  'csv',
  'json',
  'html',
  'docx',
]);

/** Sent as `accept` and checked by the guarded client. */
export const acceptedTypes: readonly string[] = [
  'text/html',
  'application/xhtml+xml',
  'text/*',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/json',
  'application/ld+json',
  'application/xml',
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
];

const byType: Readonly<Record<string, PageKind>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/csv': 'csv',
  'application/json': 'json',
  'text/json': 'json',
  'text/xml': 'xml',
  'application/xml': 'xml',
};

const byExtension: Readonly<Record<string, PageKind>> = {
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  txt: 'text',
  text: 'text',
  rst: 'text',
  log: 'text',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'text',
  ndjson: 'text',
  xml: 'xml',
  rss: 'xml',
  atom: 'xml',
};

/**
 * The kind of a file by its first bytes, then its type, then its name; null for what is not read. The bytes decide
 * where they can, because servers send PDF files as text and HTML pages as PDF files.
 */
export function kindOf(bytes: Uint8Array, contentType: string, name: string): PageKind | null {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const extension = /\.(?<extension>[a-z0-9]{1,10})$/i.exec(name.split(/[?#]/)[0] ?? '')?.groups?.[
    'extension'
  ];
  const named = byExtension[extension?.toLowerCase() ?? ''];
  if (startsWith(bytes, '%PDF-', 1_024)) return 'pdf';
  if (startsWith(bytes, 'PK\u0003\u0004', 0))
    return named === 'docx' || byType[type] === 'docx' ? 'docx' : null;
  const typed = byType[type] ?? suffixKind(type);
  if (typed === 'pdf' || typed === 'docx') return sniffed(bytes);
  if (isBinary(bytes)) return null;
  if (typed !== null) return typed;
  if (type.startsWith('text/')) return named === 'markdown' || named === 'csv' ? named : 'text';
  const unknown = ['', 'application/octet-stream', 'binary/octet-stream'].includes(type);
  if (!unknown) return null;
  return named === 'pdf' || named === 'docx' ? null : (named ?? sniffed(bytes));
}

function suffixKind(type: string): PageKind | null {
  if (type.endsWith('+json')) return 'json';
  return type.endsWith('+xml') && !type.startsWith('image/') ? 'xml' : null;
}

/** Text that begins like one of the kinds that begin alike; plain text is not assumed. */
function sniffed(bytes: Uint8Array): PageKind | null {
  if (isBinary(bytes)) return null;
  const head = Buffer.from(bytes.subarray(0, 512)).toString('latin1').trimStart().toLowerCase();
  if (/^(?:\u00ef\u00bb\u00bf)?<(?:!doctype html|html|head|body|!--)/.test(head)) return 'html';
  return head.startsWith('<?xml') ? 'xml' : null;
}

/** Whether all of it is text in UTF-8, or in UTF-16 behind its mark. */
export function isPlainText(bytes: Uint8Array): boolean {
  if (isBinary(bytes)) return false;
  try {
    new TextDecoder(bytes[0] === 0xff || bytes[0] === 0xfe ? 'utf-16' : 'utf-8', { fatal: true }).decode(
      bytes,
    );
    return true;
  } catch {
    return false;
  }
}

function startsWith(bytes: Uint8Array, magic: string, within: number): boolean {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .subarray(0, within + magic.length)
    .indexOf(magic, 0, 'latin1');
  return at >= 0 && at <= within;
}

/** NUL does not occur in text, except in UTF-16, which begins with its mark. */
function isBinary(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return bytes.subarray(0, 8_192).includes(0);
}
