import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

export interface PdfLineAt {
  readonly text: string;
  readonly size?: number;
}

export interface PdfOptions {
  /** Raw strings of the information dictionary: `Title`, `CreationDate`, … */
  readonly info?: Readonly<Record<string, string>>;
  /** Address that the first page links to. */
  readonly link?: string;
}

/** A small PDF file: lines in Helvetica from the top, 14 points apart, 24 after an empty one. */
export function makePdf(
  pages: readonly (readonly (string | PdfLineAt)[])[],
  { info = {}, link }: PdfOptions = {},
): Buffer {
  const contents = pages.map((lines) => {
    let y = 780;
    const drawn = lines.map((line) => {
      const { text, size = 11 } = typeof line === 'string' ? { text: line } : line;
      y -= text === '' ? 10 : 14 + (size - 11);
      return text === ''
        ? ''
        : `BT /F1 ${size} Tf 72 ${y} Td (${text.replaceAll(/[()\\]/g, String.raw`\$&`)}) Tj ET`;
    });
    return deflateSync(drawn.join('\n'));
  });
  return makeRawPdf(contents, info, link);
}

/** A PDF file of content streams that are packed already. */
export function makeRawPdf(
  contents: readonly Buffer[],
  info: Readonly<Record<string, string>> = {},
  link?: string,
): Buffer {
  const objects: Buffer[] = [];
  const add = (head: string, stream?: Buffer): number => {
    const body =
      stream === undefined
        ? [Buffer.from(head)]
        : [Buffer.from(`${head}\nstream\n`), stream, Buffer.from('\nendstream')];
    objects.push(
      Buffer.concat([Buffer.from(`${objects.length + 1} 0 obj\n`), ...body, Buffer.from('\nendobj\n')]),
    );
    return objects.length;
  };
  add('<< /Type /Catalog /Pages 2 0 R >>');
  const firstPage = 5;
  const kids = contents.map((_, index) => `${firstPage + index * 2} 0 R`);
  add(`<< /Type /Pages /Count ${contents.length} /Kids [${kids.join(' ')}] >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  add(
    `<< ${Object.entries(info)
      .map(([name, value]) => `/${name} (${value})`)
      .join(' ')} >>`,
  );
  for (const [index, content] of contents.entries()) {
    const annotation = `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${link ?? ''}) >> >>]`;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Resources << /Font << /F1 3 0 R >> >> ` +
        `/Contents ${firstPage + index * 2 + 1} 0 R ${index === 0 && link !== undefined ? annotation : ''} >>`,
    );
    add(`<< /Length ${content.length} /Filter /FlateDecode >>`, content);
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\u00e2\u00e3\n', 'latin1')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const object of objects) {
    offsets.push(at);
    parts.push(object);
    at += object.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

export interface ZipPart {
  readonly name: string;
  readonly bytes: Buffer;
  /** Size to declare in place of the true one. */
  readonly declared?: number;
}

/** A zip archive with deflated entries. */
export function makeZip(parts: readonly ZipPart[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, declared } of parts) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(declared ?? bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    const record = Buffer.concat([
      Buffer.from('PK\u0003\u0004', 'latin1'),
      fields,
      Buffer.from(name),
      packed,
    ]);
    local.push(record);
    central.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, tail, Buffer.from(name)]),
    );
    offset += record.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

export interface DocxOptions {
  readonly core?: string;
  readonly relations?: string;
  readonly extra?: readonly ZipPart[];
}

const wordSpace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const officeSpace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageSpace = 'http://schemas.openxmlformats.org/package/2006';

/** A word processor's file around the XML of its body. */
export function makeDocx(body: string, { core = '', relations = '', extra = [] }: DocxOptions = {}): Buffer {
  const xml = (text: string) =>
    Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${text}`);
  return makeZip([
    {
      name: '[Content_Types].xml',
      bytes: xml(
        `<Types xmlns="${packageSpace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
          '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ' +
          'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
      ),
    },
    {
      name: '_rels/.rels',
      bytes: xml(
        `<Relationships xmlns="${packageSpace}/relationships"><Relationship Id="rId1" Type="${officeSpace}/officeDocument" Target="word/document.xml"/></Relationships>`,
      ),
    },
    {
      name: 'word/_rels/document.xml.rels',
      bytes: xml(`<Relationships xmlns="${packageSpace}/relationships">${relations}</Relationships>`),
    },
    {
      name: 'word/document.xml',
      bytes: xml(
        `<w:document xmlns:w="${wordSpace}" xmlns:r="${officeSpace}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
          `xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
          `xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>${body}</w:body></w:document>`,
      ),
    },
    ...(core === '' ? [] : [{ name: 'docProps/core.xml', bytes: xml(core) }]),
    ...extra,
  ]);
}
