/** Throws Error where a text is not well-formed XML, as far as elements, attributes and references go. */
export function checkXml(text: string): void {
  const open: string[] = [];
  let roots = 0;
  const token =
    /<(?<close>\/)?(?<name>[A-Za-z][\w:.-]*)(?<attributes>(?:\s+[\w:.-]+="[^"<]*")*)\s*(?<empty>\/)?>|(?<text>[^<]+)/gy;
  let at = 0;
  for (const { 0: matched, groups } of text.matchAll(token)) {
    at += matched.length;
    const { close, name = '', attributes = '', empty, text: content } = groups ?? {};
    for (const reference of (content ?? attributes).matchAll(/&(?<rest>[^;]*;?)/g)) {
      if (!/^(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);$/i.test(reference.groups?.['rest'] ?? '')) {
        throw new Error(`no reference: ${reference[0]}`);
      }
    }
    if (content !== undefined) {
      if (open.length === 0 && content.trim() !== '') throw new Error('text outside of the root');
    } else if (close !== undefined) {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      const names = [...attributes.matchAll(/([\w:.-]+)=/g)].map(([, attribute]) => attribute);
      if (new Set(names).size < names.length) throw new Error(`<${name}> has an attribute twice`);
      if (open.length === 0) roots++;
      if (empty === undefined) open.push(name);
    }
  }
  if (at < text.length) throw new Error(`no XML from ${text.slice(at, at + 60)}`);
  if (open.length > 0 || roots !== 1) throw new Error(`${roots} roots, open: ${open.join()}`);
}
