// Runs a program in a real pseudo-terminal, which `script` opens: types like a person, and reads the screen.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { childEnv } from './system/child-env'
import { until } from './until'

export interface PseudoTerminal {
  /** Everything that the program has written, including what the terminal echoes. */
  screen(): string
  /** Waits until the screen contains the text this many times. */
  shows(text: string, times?: number): Promise<void>
  type(text: string): void
  /** The exit code of the program. */
  readonly exited: Promise<number | null>
}

export function openPseudoTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): PseudoTerminal {
  const args = process.platform === 'darwin' ? ['-q', '/dev/null', ...command] : ['-qec', line(command), '/dev/null']
  const ofProgram = { ...childEnv(), TERM: 'dumb', ...env }
  const child = spawn('script', args, { env: ofProgram, stdio: ['pipe', 'pipe', 'pipe'] })
  let screen = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (screen += piece))
  return {
    screen: () => screen,
    async shows(text, times = 1) {
      await until(`the screen shows ${text}`, () => screen.split(text).length > times).catch((error: Error) => {
        throw new Error(`${error.message}\n${screen}`)
      })
    },
    type: (text) => void child.stdin.write(text),
    exited: once(child, 'close').then(([code]) => code),
  }
}

function line(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
}
