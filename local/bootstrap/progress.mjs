// Shows the progress of a slow step: one live line on a terminal, otherwise a plain line every 10 s.

const { stdout } = process
const [green, dim, plain] = stdout.isTTY && stdout.hasColors() ? ['\x1b[32m', '\x1b[2m', '\x1b[0m'] : ['', '', '']
const liveEveryMs = 200
const plainEveryMs = 10_000

export function showProgress(step, progress = () => '') {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  const line = () => [step, progress(), `${Math.floor(seconds())} s`].filter(Boolean).join(', ')
  const clear = () => stdout.isTTY && stdout.write('\r\x1b[2K')
  const draw = () => stdout.write(stdout.isTTY ? `\r\x1b[2K  ${line()}`.slice(0, stdout.columns ?? 80) : `${line()}\n`)

  stdout.write(stdout.isTTY ? '' : `${step}\n`)
  const timer = setInterval(draw, stdout.isTTY ? liveEveryMs : plainEveryMs)
  const end = () => {
    clearInterval(timer)
    clear()
  }
  return {
    done(text) {
      end()
      stdout.write(`${green}✓${plain} ${text} ${dim}(${seconds().toFixed(1)} s)${plain}\n`)
    },
    failed: end,
  }
}
