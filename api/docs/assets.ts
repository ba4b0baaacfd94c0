// Finds the output of build-assets.mjs: next to this file in dist, or in dist when the sources run directly (tests).
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface Assets {
  readonly folder: string
  /** The hashed file name of each asset. */
  readonly names: Readonly<Record<AssetKind, string>>
}

type AssetKind = 'scalar' | 'start' | 'style' | 'icon'

const folders = [join(__dirname, 'assets'), join(__dirname, '../../dist/api/docs/assets')]

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
