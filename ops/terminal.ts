// The terminal that a command runs in: its streams, questions to the person, and progress while the command works.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { EnvironmentVariables } from '../runtime/config/config'
import type { Session } from './command'
import type { Form, Output } from './print'

export interface Terminal {
  readonly env: EnvironmentVariables
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  /** How the help writes the name of this program. */
  readonly program?: string
}

/** The person pressed Ctrl-C or Ctrl-D instead of answering. */
export class Interrupted extends Error {}

export function openSession(
  { env, stdin, stderr }: Terminal,
  { form, progress, commands }: { form: Form; progress: Progress; commands: Session['commands'] },
): Session {
  const ask = (question: string, output: NodeJS.WritableStream | null) =>
    stdin === undefined ? Promise.reject(new Interrupted()) : progress.during(() => answerTo(question, stdin, output))
  const shown = new Writable({ write: (chunk, _, done) => (stderr.write(String(chunk)), done()) })
  return {
    env,
    form,
    isInteractive: form === 'text' && stdin?.isTTY === true && stderr.isTTY === true,
    say: (line) => progress.above(() => void (form === 'text' && stderr.write(`${line}\n`))),
    ask: (question) => ask(question, shown),
    async askSecret(question) {
      stderr.write(question)
      return ask('', null).finally(() => stderr.write('\n'))
    },
    // Reading from a terminal would wait for a person, who sees no question.
    readInput: () => (stdin === undefined || stdin.isTTY === true ? Promise.resolve('') : text(stdin)),
    commands,
  }
}

function answerTo(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream | null,
): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: output ?? silent, terminal: true })
  return new Promise((resolve, reject) => {
    // Also emitted for Ctrl-C and Ctrl-D. After an answer, the promise is already settled.
    lines.once('close', () => reject(new Interrupted()))
    lines.question(question, (answer) => {
      resolve(answer.trim())
      lines.close()
    })
  })
}

export interface Progress {
  /** Prints lines above the progress line. */
  above(print: () => void): void
  /** Shows no progress during this work. */
  during<T>(work: () => Promise<T>): Promise<T>
  end(): void
}

/**
 * Shows the elapsed seconds on standard error once a command takes longer than a second. Only for a person at a
 * terminal: a script or a pipe gets nothing.
 */
export function showProgress({ stdout, stderr }: Terminal, form: Form, name: string): Progress {
  const isShown = form === 'text' && stdout.isTTY === true && stderr.isTTY === true
  const startedMs = performance.now()
  let timer: NodeJS.Timeout | undefined
  let isDrawn = false

  const draw = () => {
    stderr.write(`${clearLine}Running \`${name}\`, ${Math.floor((performance.now() - startedMs) / 1_000)} s`)
    isDrawn = true
  }
  const start = () => void (isShown && (timer = setInterval(draw, 1_000).unref()))
  const clear = () => {
    if (isDrawn) stderr.write(clearLine)
    isDrawn = false
  }
  const end = () => {
    clearInterval(timer)
    clear()
  }
  start()
  return {
    end,
    above(print) {
      clear()
      print()
    },
    async during(work) {
      end()
      return work().finally(start)
    },
  }
}

const clearLine = '\r\u001b[2K'
