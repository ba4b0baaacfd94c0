// Preloaded into the programs that `npm start` runs: kills a program that does not stop in time after its parent has
// died.

const gracePeriodMs = 15_000

process.once('disconnect', () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), gracePeriodMs).unref())
