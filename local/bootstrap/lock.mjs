// Allows one process at a time to install and build in this folder. The lock of a dead process is taken over.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { showProgress } from './run.mjs'

export async function withLock(root, work) {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const path = join(root, '.cache', 'bootstrap.lock')
  if (!tryLock(path)) await waitForLock(path)
  const release = () => rmSync(path, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    release()
    process.off('exit', release)
  }
}

async function waitForLock(path) {
  const progress = showProgress('Waiting for another `npm start` or `npm test` to prepare this folder')
  while (!tryLock(path)) await sleep(200)
  progress.done('The other process has finished')
}

/** A hard link appears atomically with its content; a file opened for writing does not. */
function tryLock(path) {
  const own = `${path}.${process.pid}`
  writeFileSync(own, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }))
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(path)) removeStale(path)
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

/** Moves the file aside and checks it again, because another process may have taken the lock since the first check. */
function removeStale(path) {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
    if (isHeld(aside)) linkSync(aside, path)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function isHeld(path) {
  try {
    const { pid, started } = JSON.parse(readFileSync(path, 'utf8'))
    process.kill(pid, 0)
    return startOf(pid) === started
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** The start time of a process, if the system exposes it, to detect a reused PID. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return ''
  }
}
