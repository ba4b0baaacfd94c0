// Reads the import graph of the sources, for the tests that check the layout.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const root = join(__dirname, '../..')

export interface Import {
  readonly from: string
  /** For our own files, the path from the root. Otherwise, the package name. */
  readonly to: string
}

export function sourceFiles(): string[] {
  return repositoryFiles().filter((file) => /\.(ts|tsx|mjs|js)$/.test(file) && !file.startsWith('test/'))
}

/** Returns tracked and new files. Omits deleted files, even if the deletion is not staged yet. */
export function repositoryFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
}

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

export function importsOf(file: string, text: string = read(file)): Import[] {
  const patterns = [/\bfrom\s+'([^']+)'/g, /\bimport\s+'([^']+)'/g, /\b(?:import|require)\(\s*'([^']+)'\s*\)/g]
  const names = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
  return names.map((name) => ({ from: file, to: name.startsWith('.') ? normalize(join(dirname(file), name)) : name }))
}

/** Returns a file's layer: its top folder, with the subfolder for runtime/, or the file name for a file at the root. */
export function layerOf(path: string): string {
  const [top = '', inner = ''] = path.replace(/\.ts$/, '').split('/')
  return top === 'runtime' ? `${top}/${inner}` : top
}
