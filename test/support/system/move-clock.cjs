// Moves the clock of a process that loads this file first (see clock-ahead.ts). A message from its parent moves the
// clock again, except in threads; workflows use Temporal's time.
let aheadMs = Number(process.env.CLOCK_AHEAD_MS)
process.on('message', (message) => {
  aheadMs = message.aheadMs
  process.send(message)
})
// Waiting for messages must not keep the process alive.
process.channel?.unref()
const Present = Date

globalThis.Date = class Date extends Present {
  constructor(...given) {
    if (given.length === 0) super(Present.now() + aheadMs)
    else super(...given)
  }

  static now() {
    return Present.now() + aheadMs
  }
}
