/** The style of the documentation's pages, light and dark. */
export const style = `
:root { color-scheme: light dark; --text: #1b1f24; --dim: #57606a; --line: #d0d7de; --soft: #f6f8fa; --link: #0b5cad; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --dim: #a0a8b2; --line: #3a4149; --soft: #1d2126; --link: #79b8ff; --page: #14171a; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; z-index: 2; padding: .5rem 1rem; background: var(--page); }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 1rem; align-items: center; justify-content: space-between; padding: .6rem 1.25rem; background: var(--page); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; font-size: 1.15rem; color: inherit; text-decoration: none; padding: .2rem 0; }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 46rem) 13rem; gap: 2rem; padding: 1.25rem; max-width: 82rem; margin: 0 auto; }
nav, aside { font-size: .9rem; align-self: start; position: sticky; top: 4.25rem; max-height: calc(100vh - 5rem); overflow: auto; }
nav ul, aside ul { list-style: none; margin: 0 0 .5rem; padding: 0; }
nav a, aside a { display: block; padding: .25rem .5rem; color: inherit; text-decoration: none; border-radius: 4px; }
nav a:hover, aside a:hover { background: var(--soft); text-decoration: underline; }
nav a[aria-current] { background: var(--soft); color: var(--link); font-weight: 600; }
nav summary { padding: .25rem .5rem; font-weight: 600; cursor: pointer; }
.menu > summary { display: none; }
aside h2 { font-size: .9rem; margin: 0 0 .25rem; padding: 0 .5rem; }
aside .depth-3 a { padding-left: 1.25rem; color: var(--dim); }
main h1 { margin-top: 0; line-height: 1.25; }
main h2 { margin-top: 2.2rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
main :is(h1, h2, h3, p, li) { overflow-wrap: anywhere; }
code { font: .875em/1.5 ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; }
.example { position: relative; margin: 1rem 0; }
pre { margin: 0; padding: 1rem; overflow: auto; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
pre code { padding: 0; background: none; }
.example button { position: absolute; top: .4rem; right: .4rem; }
button { font: inherit; font-size: .8rem; min-height: 1.75rem; padding: .1rem .6rem; color: var(--text); background: var(--page); border: 1px solid var(--line); border-radius: 4px; cursor: pointer; }
.tabs { margin: 1rem 0; }
.tabs [role=tablist] { display: flex; gap: .25rem; }
.tabs [role=tab][aria-selected=true] { border-color: var(--link); color: var(--link); }
.tabs h4 { margin: 1rem 0 0; font-size: .875rem; }
.tabs.ready h4, .tabs section[hidden] { display: none; }
.wide { overflow: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .925rem; }
th, td { padding: .4rem .75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); }
.search { position: relative; flex: 0 1 22rem; }
.search input { width: 100%; font: inherit; padding: .3rem .6rem; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
.search ol { position: absolute; right: 0; width: min(34rem, 92vw); max-height: 70vh; overflow: auto; margin: .25rem 0 0; padding: .25rem; list-style: none; background: var(--page); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 6px 24px rgb(0 0 0 / 20%); }
.search ol:empty { display: none; }
.search li a { display: block; padding: .4rem .6rem; color: inherit; text-decoration: none; border-radius: 4px; }
.search li a:is(:hover, :focus) { background: var(--soft); }
.search li span { display: block; font-size: .8rem; color: var(--dim); overflow-wrap: anywhere; }
@media (max-width: 70rem) { .columns { grid-template-columns: 15rem minmax(0, 1fr); } aside { display: none; } }
@media (max-width: 46rem) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; padding: 1rem; }
  nav { position: static; max-height: none; border: 1px solid var(--line); border-radius: 6px; padding: .25rem; }
  .menu > summary { display: block; }
}
`;
