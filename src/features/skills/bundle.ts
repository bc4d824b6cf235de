import { isAlias, isMap, isScalar, parseDocument, visit, type Document, type YAMLMap } from 'yaml';
import { Fault } from '../../kernel/faults.ts';
import { isJsonObject, type Json } from '../../kernel/kit/json.ts';
import { readArchive, type ArchiveFiles } from './archive.ts';

/** What `SKILL.md` says of a skill. */
interface SkillHead {
  readonly name: string;
  readonly description: string;
  /** `license`, `compatibility`, `metadata` and `allowed-tools`, as far as they are there. */
  readonly extra: Readonly<Record<string, Json>>;
}

export interface SkillContent {
  /** The Markdown after the front matter. */
  readonly instructions: string;
  /** Files by path below the folder of the skill, `SKILL.md` included. */
  readonly files: ArchiveFiles;
}

/** A zip part of more bytes is a 413. */
export const bundleBytesMax = 8_388_608;

const skillFile = 'SKILL.md';
const skillFileBytesMax = 262_144;
const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const nameLengthMax = 64;
const descriptionLengthMax = 1024;
const extraKeys = new Set(['license', 'compatibility', 'metadata', 'allowed-tools']);

/** Reads a bundle. Throws Fault `invalid_value` that says what is wrong and where. */
export async function parseBundle(bytes: Uint8Array): Promise<SkillHead & SkillContent> {
  const { frontMatter, ...content } = await readContent(bytes);
  return { ...parseHead(frontMatter), ...content };
}

/** The same without what its front matter says: whoever has that already saves the time to parse it. */
export async function readContent(
  bytes: Uint8Array,
): Promise<SkillContent & { readonly frontMatter: string }> {
  const files = atRoot(await readArchive(bytes));
  const content = files.get(skillFile);
  if (content === undefined) throw refuse(`the bundle has no ${skillFile}`);
  if (content.length > skillFileBytesMax)
    throw refuse(`${skillFile} is larger than ${skillFileBytesMax} bytes`);
  const groups = frontMatterPattern.exec(toText(content))?.groups;
  if (groups === undefined) throw refuse(`${skillFile} has no front matter between lines of ---`);
  return { frontMatter: groups['head'] ?? '', instructions: groups['body'] ?? '', files };
}

/** A bundle may lie in one folder that holds everything; that folder's name means nothing. */
function atRoot(files: ArchiveFiles): ArchiveFiles {
  const places = [...files.keys()].filter((path) => path.split('/').at(-1) === skillFile);
  const [place, another] = places;
  if (another !== undefined) throw refuse(`the bundle has more than one ${skillFile}`);
  if (place === undefined || place === skillFile) return files;
  const folder = place.slice(0, -skillFile.length);
  const isInside =
    folder.split('/').length === 2 && [...files.keys()].every((path) => path.startsWith(folder));
  if (!isInside)
    throw refuse(`${skillFile} has to be at the root, or in the one folder that holds everything`);
  return new Map([...files].map(([path, content]) => [path.slice(folder.length), content]));
}

function toText(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw refuse(`${skillFile} is not UTF-8`, error);
  }
}

const frontMatterPattern = /^---[ \t]*\r?\n(?<head>.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n(?<body>.*))?$/s;

function parseHead(frontMatter: string): SkillHead {
  const { name, description, ...rest } = parseFrontMatter(frontMatter);
  if (typeof name !== 'string' || name.length > nameLengthMax || !namePattern.test(name))
    throw refuse(`name has to be 1 to ${nameLengthMax} lower-case letters, digits and single hyphens`);
  if (
    typeof description !== 'string' ||
    description.trim() === '' ||
    [...description].length > descriptionLengthMax
  )
    throw refuse(`description has to be text of 1 to ${descriptionLengthMax} characters`);
  const extra = Object.fromEntries(Object.entries(rest).filter(([key]) => extraKeys.has(key)));
  return { name, description, extra };
}

/** Without what compares each key with all others, and looks for the line of each of many errors. */
const yamlOptions = { schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;

/** Plain values only: tags make objects of other kinds, and aliases make a small text a large value. */
export function parseFrontMatter(text: string): Readonly<Record<string, Json>> {
  const document = parseDocument(text, yamlOptions);
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) throw notYaml(error);
  refuseUnplain(document);
  const value = document.toJS() as Json;
  if (!isJsonObject(value)) throw refuse(`the front matter of ${skillFile} has to be a mapping`);
  return value;
}

function refuseUnplain(document: Document.Parsed): void {
  visit(document, {
    Node(_key, node) {
      // `tag` is set only where one was written.
      const { anchor, tag } = node as { readonly anchor?: string; readonly tag?: string };
      if (isAlias(node) || anchor !== undefined || tag !== undefined)
        throw refuse('the front matter may not have tags, anchors or aliases');
      if (isMap(node)) refuseRepeated(node);
    },
  });
}

function refuseRepeated({ items }: YAMLMap): void {
  const keys = items.flatMap(({ key }) => (isScalar(key) ? [key.value] : []));
  if (new Set(keys).size < keys.length) throw notYaml(new Error('a key stands twice'));
}

function notYaml(cause: unknown): Fault {
  return refuse(`the front matter of ${skillFile} is not valid YAML`, cause);
}

function refuse(message: string, cause?: unknown): Fault {
  return new Fault('invalid_value', message, { param: 'file', cause });
}
