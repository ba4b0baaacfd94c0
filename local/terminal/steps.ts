// Shows the steps of a start: finished steps as lines with their durations, running steps as one live line below.

export interface Steps {
  /** Runs a step. `done` formats its result for the finished line. */
  readonly run: <T>(name: string, work: Work<T>, done?: (result: T) => string) => Promise<T>
}

type Work<T> = (report: (progress: string) => void) => Promise<T>

interface Active {
  readonly name: string
  readonly startedMs: number
  progress: string
  shownMs: number
}

const liveEveryMs = 150
const plainEveryMs = 5000

/** After `signal` aborts, no further step starts, and failures are not shown. */
export function createSteps(out: NodeJS.WriteStream, signal: AbortSignal): Steps {
  const active = new Set<Active>()
  const colour = paint(out)
  let timer: NodeJS.Timeout | undefined

  const clear = () => out.isTTY && out.write('\r\x1b[2K')
  const draw = () => {
    if (signal.aborted) return
    if (out.isTTY) out.write(`\r\x1b[2K${liveLine([...active]).slice(0, (out.columns || 80) - 1)}`)
    else for (const step of active) printPeriodically(step, out)
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
        const text = [name, done(result)].filter(Boolean).join(' ')
        leave(step, `${colour.green('✓')} ${text} ${colour.dim(`(${secondsSince(startedMs)} s)`)}\n`)
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
  const texts = active.map(({ name, progress }) => (progress ? `${name}: ${progress}` : name))
  return `  ${texts.join(' · ')} … ${Math.floor(Number(secondsSince(oldest)))} s`
}

function printPeriodically(step: Active, out: NodeJS.WriteStream): void {
  if (performance.now() - step.shownMs < plainEveryMs) return
  step.shownMs = performance.now()
  const progress = step.progress ? `: ${step.progress}` : ''
  out.write(`  ${step.name}${progress} … ${Math.floor(Number(secondsSince(step.startedMs)))} s\n`)
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1)
}

type Paint = Readonly<Record<'bold' | 'dim' | 'green' | 'red' | 'cyan', (text: string) => string>>

/** Adds colours if the terminal supports them. Node.js checks NO_COLOR. */
export function paint(out: NodeJS.WriteStream): Paint {
  const coloured = out.isTTY && out.hasColors()
  const by = (code: number) => (text: string) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text)
  return { bold: by(1), dim: by(2), green: by(32), red: by(31), cyan: by(36) }
}
