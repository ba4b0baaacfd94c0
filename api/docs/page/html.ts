// The HTML of /docs: our own bar above the reference, without inline scripts.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Scalar writes its styles into the page when it starts, so inline styles are allowed. Inline scripts are not. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The first lines of an HTML page, up to the part of the head that differs. */
export function startOfPage(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
`
}

/** URLs are relative, so that the page also works behind a proxy that adds a path. */
export function page({ title, version, assets }: { title: string; version: string; assets: Assets }): string {
  const { scalar, start, style, icon } = assets.names
  return `${startOfPage(title)}<meta name="description" content="Pay pounds sterling to UK bank accounts from your own wallet: guide and API reference.">
<link rel="icon" type="image/svg+xml" href="docs/assets/${icon}">
<link rel="stylesheet" href="docs/assets/${style}">
<script defer src="docs/assets/${start}"></script>
<script defer src="docs/assets/${scalar}"></script>
</head>
<body>
<header class="bar">
<a class="brand" href="docs"><img src="docs/assets/${icon}" alt="" width="24" height="24">${title}</a>
<span class="version">${version}</span>
<nav aria-label="Dashboard and other formats">
<a href="dashboard/keys">Get an API key</a>
<a href="dashboard">Dashboard</a>
<a href="docs/guide.md">Markdown</a>
<a href="openapi.json">OpenAPI</a>
<a href="postman.json">Postman</a>
<a href="llms.txt">llms.txt</a>
</nav>
</header>
<main id="reference"></main>
<noscript>The reference needs JavaScript; <a href="docs/guide.md">the guide</a> and <a href="openapi.json">the OpenAPI document</a> do not.</noscript>
</body>
</html>
`
}

export interface Assets {
  readonly folder: string
  /** The hashed file name of each asset. */
  readonly names: Readonly<Record<AssetKind, string>>
}

type AssetKind = 'scalar' | 'start' | 'style' | 'icon'

/** The output of build-assets.mjs is in dist, even when the sources run directly, as in tests. */
const folders = [join(__dirname, '../assets'), join(__dirname, '../../../dist/api/docs/assets')]

export function findAssets(): Assets {
  const folder = folders.find((each) => existsSync(each))
  if (!folder) throw new Error('The assets of /docs are not built yet: run `npm run build`.')
  const files = readdirSync(folder)
  const named = (kind: AssetKind): string => {
    const name = files.find((file) => file.startsWith(`${kind}-`) && /\.(js|css|svg)$/.test(file))
    if (!name) throw new Error(`The asset "${kind}" of /docs is missing: run \`npm run build\`.`)
    return name
  }
  return {
    folder,
    names: { scalar: named('scalar'), start: named('start'), style: named('style'), icon: named('icon') },
  }
}
