// Style and script of the inbox page, served as files so that its CSP needs no inline exception.

export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1a1f2b, #e7e9ee); --soft: light-dark(#5b6474, #9aa3b2); --line: light-dark(#e2e5ea, #2c323d);
  --paper: light-dark(#fff, #171b22); --ground: light-dark(#f5f6f8, #10131a); --accent: light-dark(#1f4fd8, #8fb0ff);
  --chosen: light-dark(#eaf0ff, #1d2942);
}
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); height: 100vh; display: flex;
  flex-direction: column; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid #f5a623; outline-offset: -3px; }
.top { display: flex; align-items: center; gap: 1rem; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--paper); }
.top > a { font-weight: 650; color: inherit; text-decoration: none; }
.top p { margin: 0; color: var(--soft); flex: 1; }
button { font: inherit; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: .4rem; background: none; color: inherit; cursor: pointer; }
button:disabled { opacity: .45; cursor: default; }
.panes { flex: 1; min-height: 0; display: grid; grid-template-columns: 22rem 1fr; }
nav { overflow-y: auto; border-right: 1px solid var(--line); background: var(--paper); }
.row { display: grid; grid-template-columns: 1fr auto; gap: .1rem .75rem; padding: .7rem 1.25rem; border-bottom: 1px solid var(--line);
  color: inherit; text-decoration: none; }
.row:hover, .row[aria-current] { background: var(--chosen); }
.row span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row .who { color: var(--soft); }
.row time { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
.row .subject { font-weight: 550; grid-column: 1 / -1; }
main { overflow-y: auto; padding: 1.5rem 2rem; min-width: 0; }
article { max-width: 60rem; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1.25rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.code { font: 13px/1.6 ui-monospace, monospace; }
.files { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: 0 0 1rem; padding: 0; }
.files li { border: 1px solid var(--line); border-radius: .4rem; padding: .25rem .7rem; background: var(--paper); overflow-wrap: anywhere; }
.files span { color: var(--soft); }
iframe { display: block; width: 100%; height: 46rem; border: 1px solid var(--line); border-radius: .4rem; background: #fff; margin-bottom: 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.55 ui-monospace, monospace; background: var(--paper); padding: 1rem;
  border: 1px solid var(--line); border-radius: .4rem; }
summary { cursor: pointer; }
.hint { color: var(--soft); padding: 1rem 1.25rem; margin: 0; }
@media (max-width: 50rem) {
  body { height: auto; } .panes { grid-template-columns: 1fr; } .top { flex-wrap: wrap; } .top p { order: 3; flex-basis: 100%; }
  nav { max-height: 14rem; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem 1.25rem; }
}
`

/** Checks for new mails every two seconds. Does not reload an open mail. */
export const script = `const nav = document.querySelector('nav')
const empty = document.querySelector('#empty')
empty.addEventListener('click', async () => {
  await fetch('/messages.json', { method: 'DELETE' })
  location.href = '/'
})
setInterval(() => document.hidden || refresh().catch(() => {}), 2000)
showOwnTimes()

async function refresh() {
  const { version } = await (await fetch('/version.json')).json()
  if (version === document.body.dataset.version) return
  if (location.pathname === '/') return location.reload()
  const answer = await fetch(location.href)
  if (!answer.ok) return (location.href = '/')
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  nav.replaceChildren(...fresh.querySelector('nav').childNodes)
  document.body.dataset.version = fresh.body.dataset.version
  showOwnTimes()
}

function showOwnTimes() {
  for (const time of document.querySelectorAll('time')) {
    const brief = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
    time.textContent = new Date(time.dateTime).toLocaleString([], time.closest('.row') ? brief : {})
  }
}
`
