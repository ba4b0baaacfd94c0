// The table of all commands, and --help, which is generated from it. Each page of help has an example, which must parse.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readArguments } from '../../ops/arguments'
import { clientCommands } from '../../ops/client/commands'
import { type AnyCommand, nameOf } from '../../ops/command'
import { allCommands } from '../../ops/commands'
import { read, repositoryFiles, root } from '../support/source-imports'
import { runWith, wordsOf } from '../support/terminal'

const commands = allCommands()

const nouns = [...new Set(commands.flatMap(({ noun, verb }) => (verb === '' ? [] : [noun])))]

test('the table has each command of each module once', () => {
  const modules = repositoryFiles().filter(
    (file) => /^ops\/(?!command\.)/.test(file) && read(file).includes('defineCommand('),
  )
  const defined: AnyCommand[] = modules.flatMap((file) => require(join(root, file)).commands)

  expect(commands.map(nameOf).toSorted()).toEqual([...clientCommands, ...defined].map(nameOf).toSorted())
})

describe('--help', () => {
  test('lists every ops command', async () => {
    const { code, out, err } = await runWith({}, ['--help'])

    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const command of commands) expect(out).toContain(`  ${nameOf(command)} `)
    expect(out).toContain('Example:\n  npm run -s ops -- partner create ')
  })

  test.each(nouns)('for %s lists its commands and no others', async (noun) => {
    const { code, out } = await runWith({}, [noun, '--help'])

    const named = commands.filter((command) => out.includes(`\n  ${nameOf(command)} `))
    expect(code).toBe(0)
    expect(named).toEqual(commands.filter((command) => command.noun === noun))
    expect(out).toContain('Example:\n  npm run -s ops -- ')
  })

  test.each(commands.map((command) => [nameOf(command), command] as const))(
    'for %s lists every option with its rule, and an example that parses',
    async (name, command) => {
      const { code, out } = await runWith({}, [...name.split(' '), '-h'])

      expect(code).toBe(0)
      for (const [option, { kind }] of Object.entries(command.options)) {
        expect(out).toContain(`--${option} ${kind.placeholder}`)
        expect(out).toContain(kind.rule)
      }
      const example = /^Example:\n {2}npm run -s ops -- (.+)$/m.exec(out)?.[1] ?? ''
      expect(readArguments(commands, wordsOf(example))).toMatchObject({ outcome: 'run', command })
    },
  )

  test('for invoices void warns that the partner sees the reason', async () => {
    expect((await runWith({}, ['invoices', 'void', '--help'])).out).toMatch(/--reason .*the partner sees it/)
  })

  test('takes precedence over any other error in the arguments', async () => {
    expect((await runWith({}, ['key', 'create', '--nope', '--help'])).out).toContain(
      'Usage: npm run -s ops -- key create',
    )
    expect((await runWith({}, ['key', 'create', '--partner', '--help'])).code).toBe(0)
  })

  test('works in the built program', () => {
    const main = join(__dirname, '../../dist/ops/main.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('partner create')
  })
})
