import { isHidden, type HiddenRules } from './html-hidden.ts';

const silentTags = new Set([
  'script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'canvas', 'audio', 'video', 'map',
  'button', 'input', 'select', 'textarea', 'datalist', 'progress', 'meter', 'frameset', 'link', 'meta', 'rp', 'rt',
]); // prettier-ignore

const frameTags = new Set(['nav', 'footer', 'menu']);
const frameRoles = new Set([
  'navigation', 'search', 'contentinfo', 'dialog', 'alertdialog', 'complementary', 'menu', 'menubar', 'toolbar',
]); // prettier-ignore

// Whole words of classes and ids. Words that name content on some sites ("article", "post", "entry") are no part.
const frameName =
  /(?:^|[\s_-])(?:cookies?|consent|gdpr|ccpa|onetrust|didomi|usercentrics|cmp|breadcrumbs?|pagination|pager|social|share|sharing|newsletter|subscribe|signup|promo|advert|advertisement|ads|sponsored|related|recommended|recommendations|comments?|disqus|respond|sidebar|side-bar|sidenav|toc|table-of-contents|skip-link|skiplink|footer|masthead|navbar|navigation|nav|navbox|menu|popup|modal|toolbar|editsection|edit-this-page|feedback|headerlink|hash-link|noprint)(?:$|[\s_-])/i;
const noteName = /note|tip|warning|caution|danger|important|info|admonition|callout|aside/i;

/** Takes out what is not text or that nobody sees, comments included. */
export function removeHidden(document: Document, rules: HiddenRules): void {
  removeWhere(document, (element) => silentTags.has(element.localName) || isHidden(element, rules));
}

/** Takes out what surrounds the text: navigation, banners, comments of readers, share bars. */
export function removeFrame(document: Document): void {
  const whole = textLength(document.body);
  removeWhere(document, (element) => isFrame(element, whole));
}

function isFrame(element: Element, whole: number): boolean {
  const { localName } = element;
  if (['html', 'body', 'main', 'article', 'h1', 'pre', 'code', 'p', 'table', 'li'].includes(localName))
    return false;
  if (!looksLikeFrame(element, localName)) return false;
  // Many sites call the wrapper of everything "menu-layout" or "page-with-sidebar".
  if (element.querySelector('main, article, h1') !== null) return false;
  return frameTags.has(localName) || textLength(element) < whole * 0.4;
}

function looksLikeFrame(element: Element, localName: string): boolean {
  if (frameTags.has(localName)) return true;
  const role = element.getAttribute('role');
  if (role !== null && frameRoles.has(role)) return true;
  const names = `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`.slice(0, 500);
  // Documentation writes notes and warnings as asides.
  if (localName === 'aside')
    return !(noteName.test(names) || noteName.test(element.getAttribute('aria-label') ?? ''));
  if (localName === 'header') return element.closest('article, main, section') === null;
  return names.length > 1 && frameName.test(names);
}

function removeWhere(document: Document, isUnwanted: (element: Element) => boolean): void {
  const walker = document.createTreeWalker(document, 1 | 128);
  const unwanted: ChildNode[] = [];
  for (let node = walker.nextNode(); node !== null;) {
    const isComment = node.nodeType === 8;
    if (isComment || isUnwanted(node as Element)) {
      unwanted.push(node as ChildNode);
      node = isComment ? walker.nextNode() : nextOutside(walker);
    } else node = walker.nextNode();
  }
  for (const node of unwanted) node.remove();
}

/** The next node that is not inside the current one: what is removed is not looked into. */
function nextOutside(walker: TreeWalker): Node | null {
  do {
    const sibling = walker.nextSibling();
    if (sibling !== null) return sibling;
  } while (walker.parentNode() !== null);
  return null;
}

/** Letters of an element, white space not counted twice. */
export function textLength(element: Element | null): number {
  return element?.textContent.replaceAll(/\s+/g, ' ').trim().length ?? 0;
}
