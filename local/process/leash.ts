// Loaded in front of our own programs when `npm start` runs them: one that can not stop by itself after its parent died is ended.

const patienceMs = 15_000

process.once('disconnect', () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), patienceMs).unref())
