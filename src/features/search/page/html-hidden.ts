const zero = String.raw`\s*:\s*[+-]?(?:0+(?:\.0*)?|\.0+)(?:px|em|rem|pt|%)?\s*(?:;|!|$)`;

/** Inline declarations that take an element out of sight. Each alternative is linear in the text. */
const hidingStyle = new RegExp(
  [
    String.raw`display\s*:\s*none`,
    String.raw`visibility\s*:\s*(?:hidden|collapse)`,
    String.raw`content-visibility\s*:\s*hidden`,
    `opacity${zero}`,
    `font-size${zero}`,
    String.raw`font-size\s*:\s*[01](?:\.\d+)?px`,
    String.raw`(?:text-indent|left|top|right|bottom|margin-left|margin-top)\s*:\s*-\d{3,}`,
    String.raw`clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)`,
    String.raw`clip-path\s*:\s*inset\(\s*(?:50|100)%`,
    String.raw`transform\s*:\s*scale[xy]?\(\s*0\s*\)`,
    String.raw`(?:^|[;{\s])color\s*:\s*(?:transparent|rgba\([^)]{0,40},\s*0?\.?0\s*\))`,
  ].join('|'),
  'i',
);
const noSize = new RegExp(`(?:^|[;{\\s])(?:max-)?(?:height|width)${zero}`, 'i');
const oneColor = /(?:^|[;{\s])color\s*:\s*(?<value>[^;!]{1,40})/i;
const background = /background(?:-color)?\s*:\s*(?<value>[^;!]{1,40})/i;

// Classes by which frameworks keep text for screen readers only.
const hiddenClass =
  /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text|a11y-hidden|hidden|d-none)(?:\s|$)/i;
// Those that show it again in wider windows, as Tailwind and Bootstrap have them.
const shownClass =
  /(?:^|\s)(?:(?:sm|md|lg|xl|2xl):|d-(?:sm|md|lg|xl|xxl)-)(?:inline|block|flex|grid|table|contents|not-sr-only)/i;

export interface HiddenRules {
  readonly classes: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

/** Single classes and ids that the page's own style sheets take out of sight. */
export function hiddenRules(styles: string): HiddenRules {
  const classes = new Set<string>();
  const ids = new Set<string>();
  for (const rule of styles.replaceAll(/\/\*[^]*?(?:\*\/|$)/g, '').split('}')) {
    // Rules inside @media hold under a condition only; those for printing hide what screens show.
    const [selectors = '', body = '', nested] = rule.split('{');
    if (nested !== undefined || selectors.trimStart().startsWith('@') || !isHidingStyle(body)) continue;
    for (const selector of selectors.split(',')) {
      const name = /^\s*[a-z]{0,10}(?<mark>[.#])(?<name>[\w-]{1,80})\s*$/i.exec(
        selector.slice(0, 200),
      )?.groups;
      if (name !== undefined) (name['mark'] === '.' ? classes : ids).add(name['name'] ?? '');
    }
  }
  return { classes, ids };
}

/** Whether nobody who looks at the page sees the element: the usual place for words meant for machines. */
export function isHidden(element: Element, { classes, ids }: HiddenRules): boolean {
  const hidden = element.getAttribute('hidden');
  if (hidden !== null && hidden !== 'until-found') return true;
  if (element.getAttribute('aria-hidden') === 'true' || element.hasAttribute('popover')) return true;
  if (element.localName === 'dialog' && !element.hasAttribute('open')) return true;
  if (element.localName === 'body' || element.localName === 'html') return false;
  const style = element.getAttribute('style');
  if (style !== null && isHidingStyle(style)) return true;
  const id = element.getAttribute('id');
  if (id !== null && ids.has(id)) return true;
  const names = element.getAttribute('class')?.slice(0, 2_000) ?? '';
  if (names === '') return false;
  return (
    (hiddenClass.test(names) && !shownClass.test(names)) ||
    (classes.size > 0 && names.split(/\s+/).some((name) => classes.has(name)))
  );
}

function isHidingStyle(text: string): boolean {
  const style = text.slice(0, 2_000);
  if (hidingStyle.test(style)) return true;
  if (noSize.test(style) && /overflow\s*:\s*hidden/i.test(style)) return true;
  const color = oneColor.exec(style)?.groups?.['value']?.trim().toLowerCase();
  return color !== undefined && color === background.exec(style)?.groups?.['value']?.trim().toLowerCase();
}
