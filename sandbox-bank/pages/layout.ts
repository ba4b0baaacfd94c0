// The look of the make-believe pages: plain, readable by everybody, and without a script.

export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Sandbox Bank</title>
<style>
body { font: 1.0625rem/1.5 system-ui, sans-serif; color: #1b1f24; background: #f6f7f9; margin: 0; }
main { max-width: 34rem; margin: 3rem auto; padding: 2rem; background: #fff; border: 1px solid #d5d9e0;
  border-radius: .5rem; }
h1 { font-size: 1.5rem; margin-top: 0; }
.note { border-left: .25rem solid #b35900; padding-left: .75rem; }
button { font: inherit; padding: .5rem 1rem; margin: .25rem .5rem .25rem 0; border-radius: .375rem; cursor: pointer;
  border: 1px solid #1b4fd8; background: #fff; color: #1b4fd8; }
button.main { background: #1b4fd8; color: #fff; }
button:focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="note">This is a make-believe bank. Nothing you do here is real.</p>
${content}
</main>
</body>
</html>
`
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
