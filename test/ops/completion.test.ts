// `completion` prints a script for each shell. The shells that are installed here load it and complete with it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { nameOf } from '../../ops/command'
import { allCommands } from '../../ops/commands'
import { openPseudoTerminal } from '../support/pseudo-terminal'
import { runWith } from '../support/terminal'

const commands = allCommands()

const shells = ['bash', 'zsh', 'fish']
const installed = shells.filter((shell) => spawnSync(shell, ['--version']).status === 0)
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-completion-'))
  for (const shell of shells) writeFileSync(join(folder, shell), (await runWith({}, ['completion', shell])).out)
})

afterAll(() => rmSync(folder, { recursive: true }))

test.each(installed)('in %s, the Tab key completes commands, options and values', async (shell) => {
  const lines = [
    ['key cr', 'key create'],
    ['key create --env', 'key create --environment'],
    ['key create --environment sa', 'key create --environment sandbox'],
    ['key create --partner acme --lab', 'key create --partner acme --label'],
    ['price def', 'price default'],
    ['price default sh', 'price default show'],
    ['completion f', 'completion fish'],
    ['--ver', '--version'],
  ]

  const completed = await completedBy(
    shell,
    lines.map(([typed = '']) => typed),
  )

  expect(completed).toEqual(lines.map(([, whole]) => whole))
})

test('the Tab key offers every word that can follow, and nothing after an option with free text', () => {
  const next = (words: string) => {
    const count = words.split(' ').length
    const ask = `source ${join(folder, 'bash')}; COMP_WORDS=(${words} ''); COMP_CWORD=${count}; _payouts; echo "\${COMPREPLY[*]}"`
    return spawnSync('bash', ['-c', ask], { encoding: 'utf8' }).stdout.trim()
  }

  expect(next('payouts key')).toBe('create list revoke --help')
  expect(next('payouts key create')).toBe('--partner --environment --label --json --help')
  expect(next('payouts key create --environment')).toBe('sandbox live')
  expect(next('payouts key create --label')).toBe('')
})

test.each(shells)('the script for %s contains every command and every option', async (shell) => {
  const { out } = await runWith({}, ['completion', shell])

  const options = commands.flatMap((command) => Object.keys(command.options).map((name) => `--${name}`))
  expect([...commands.map(nameOf), ...options].filter((name) => !out.includes(name))).toEqual([])
})

/** The lines after the shell has completed their last words. */
function completedBy(shell: string, lines: readonly string[]): Promise<string[]> {
  return shell === 'fish' ? Promise.resolve(lines.map(inFish)) : inTerminal(shell, lines)
}

function inFish(line: string): string {
  const ask = `source ${join(folder, 'fish')}; complete -C 'payouts ${line}'`
  const { stdout } = spawnSync('fish', ['--no-config', '-c', ask], {
    encoding: 'utf8',
    env: { ...process.env, HOME: folder },
  })
  const offered = stdout.trim().replaceAll(/\t.*/g, '')
  return line.replace(/\S+$/, offered)
}

/** Types each line, Tab and Enter. The function `payouts` prints its arguments, which are the completed line. */
async function inTerminal(shell: string, lines: readonly string[]): Promise<string[]> {
  const start = shell === 'zsh' ? ['zsh', '-f', '-i'] : ['bash', '--noprofile', '--norc', '-i']
  const setUp = shell === 'zsh' ? 'autoload -Uz compinit && compinit -u -D' : 'set +o history'
  const terminal = openPseudoTerminal(start, { HOME: folder })
  terminal.type(`${setUp}; source ${join(folder, shell)}; payouts() { echo "<$*>"; }; echo rea""dy\r`)
  await terminal.shows('ready')
  for (const [index, line] of lines.entries()) {
    terminal.type(`payouts ${line}\t\r`)
    await terminal.shows('>\r\n', index + 1)
  }
  terminal.type('exit\r')
  await terminal.exited
  return [...terminal.screen().matchAll(/<(.+)>\r\n/g)].map(([, whole = '']) => whole)
}
