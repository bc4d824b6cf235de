/**
 * What the pages do in a browser: copying examples, tabs, and the search over `nestorSections`, which lies in a file beside
 * them, or is asked of the server that serves them, when somebody searches. It asks nothing else of a network. Plain JavaScript, as browsers take it.
 */
export const script = String.raw`
(() => {
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  if (matchMedia('(max-width: 46rem)').matches) document.querySelector('.menu')?.removeAttribute('open');
  for (const example of document.querySelectorAll('.example')) {
    const button = make('button', { type: 'button', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(example.querySelector('code').textContent);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(example.querySelector('code'));
        button.textContent = 'Selected';
      }
    });
    example.append(button);
  }
  const choose = (language) => {
    for (const group of document.querySelectorAll('.tabs')) {
      const panels = [...group.querySelectorAll('section')];
      if (!panels.some((panel) => panel.dataset.tab === language)) continue;
      for (const panel of panels) panel.hidden = panel.dataset.tab !== language;
      for (const tab of group.querySelectorAll('[role=tab]')) {
        const isChosen = tab.textContent === language;
        tab.setAttribute('aria-selected', String(isChosen));
        tab.tabIndex = isChosen ? 0 : -1;
      }
    }
  };
  for (const [index, group] of [...document.querySelectorAll('.tabs')].entries()) {
    const list = make('div', { role: 'tablist' });
    list.setAttribute('aria-label', 'Language');
    for (const panel of group.querySelectorAll('section')) {
      const language = panel.dataset.tab;
      panel.id = 'example-' + index + '-' + language;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-label', language);
      const tab = make('button', { type: 'button', textContent: language, role: 'tab' });
      tab.setAttribute('aria-controls', panel.id);
      tab.addEventListener('click', () => choose(language));
      list.append(tab);
    }
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const tabs = [...list.children];
      const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
      choose(next.textContent);
      next.focus();
    });
    group.prepend(list);
    group.classList.add('ready');
    choose(group.querySelector('section').dataset.tab);
  }
  const field = document.querySelector('.search input');
  const found = document.querySelector('.search ol');
  if (!field || !found) return;
  let sections = null;
  const ask = async () => (await (await fetch(field.dataset.json)).json()).sections;
  const load = () => (sections ??= field.dataset.json ? ask() : new Promise((resolve, reject) => {
    const source = make('script', { src: field.dataset.sections });
    source.addEventListener('load', () => resolve(globalThis.nestorSections));
    source.addEventListener('error', reject);
    document.head.append(source);
  }));
  const search = async () => {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    const all = words.length === 0 ? [] : await load();
    const hits = [];
    for (const section of all) {
      const [address, page, heading, text] = section;
      const [title, body] = [(page + ' ' + heading).toLowerCase(), text.toLowerCase()];
      let score = 0;
      for (const word of words) {
        const inTitle = title.includes(word);
        const at = body.indexOf(word);
        if (!inTitle && at === -1) { score = 0; break; }
        score += (inTitle ? 10 : 0) + (at === -1 ? 0 : 1 + Math.min(5, body.split(word).length - 1));
      }
      if (score > 0) hits.push({ score, address, page, heading, text, at: Math.max(0, body.indexOf(words[0]) - 40) });
    }
    hits.sort((one, other) => other.score - one.score);
    found.replaceChildren(...hits.slice(0, 12).map(({ address, page, heading, text, at }) => {
      const link = make('a', { href: field.dataset.base + address, textContent: heading === page ? page : page + ': ' + heading });
      link.append(make('span', { textContent: text.slice(at, at + 140) }));
      const item = make('li', {});
      item.append(link);
      return item;
    }));
    found.dataset.for = field.value;
  };
  field.addEventListener('input', () => void search());
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') found.querySelector('a')?.click();
    if (event.key === 'Escape') { field.value = ''; found.replaceChildren(); }
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
    event.preventDefault();
    field.focus();
  });
})();
`;
