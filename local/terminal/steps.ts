// Shows the steps of a start as they happen: done ones as lines with their times, those under way as one live line below.

import { paint } from './paint'

export interface Steps {
  /** Runs one step; `done` turns its result into what the finished line says after the name. */
  readonly run: <T>(name: string, work: Work<T>, done?: (result: T) => string) => Promise<T>
}

export type Work<T> = (report: (progress: string) => void) => Promise<T>

interface Active {
  readonly name: string
  readonly startedMs: number
  progress: string
  shownMs: number
}

const liveEveryMs = 150
const plainEveryMs = 5000

/** Once the signal is given no step begins, and nothing is said about those that fail because of it. */
export function createSteps(out: NodeJS.WriteStream, signal: AbortSignal): Steps {
  const active = new Set<Active>()
  const colour = paint(out)
  let timer: NodeJS.Timeout | undefined

  const clear = () => out.isTTY && out.write('\r\x1b[2K')
  const draw = () => {
    if (signal.aborted) return
    if (out.isTTY) out.write(`\r\x1b[2K${liveLine([...active]).slice(0, (out.columns || 80) - 1)}`)
    else for (const step of active) printNowAndThen(step, out)
  }
  const enter = (step: Active) => {
    active.add(step)
    timer ??= setInterval(draw, liveEveryMs)
  }
  const leave = (step: Active, line: string) => {
    active.delete(step)
    clear()
    if (!signal.aborted) out.write(line)
    if (active.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    async run(name, work, done = () => '') {
      signal.throwIfAborted()
      const startedMs = performance.now()
      const step: Active = { name, startedMs, progress: '', shownMs: startedMs }
      enter(step)
      try {
        const result = await work((progress) => {
          step.progress = progress
        })
        const words = [name, done(result)].filter(Boolean).join(' ')
        leave(step, `${colour.green('✓')} ${words} ${colour.dim(`(${secondsSince(startedMs)} s)`)}\n`)
        return result
      } catch (error) {
        leave(step, `${colour.red('✗')} ${name}\n`)
        throw error
      }
    },
  }
}

function liveLine(active: readonly Active[]): string {
  const oldest = Math.min(...active.map((step) => step.startedMs))
  const words = active.map(({ name, progress }) => (progress ? `${name}: ${progress}` : name))
  return `  ${words.join(' · ')} … ${Math.floor(Number(secondsSince(oldest)))} s`
}

function printNowAndThen(step: Active, out: NodeJS.WriteStream): void {
  if (performance.now() - step.shownMs < plainEveryMs) return
  step.shownMs = performance.now()
  const progress = step.progress ? `: ${step.progress}` : ''
  out.write(`  ${step.name}${progress} … ${Math.floor(Number(secondsSince(step.startedMs)))} s\n`)
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1)
}
