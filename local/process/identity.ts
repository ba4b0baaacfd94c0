// Identifies a process by more than its PID, which a container may reuse within minutes.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Constant for the lifetime of the process. Null if the process has ended. */
export function identityOf(pid: number): string | null {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid)
}

export function isAlive(pid: number): boolean {
  return identityOf(pid) !== null
}

/** The program and its arguments, or empty if the system does not show them. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return ps(pid, 'command')
  } catch {
    return ''
  }
}

function identityFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in parentheses, which may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : `${bootId()}:${fields[19]}`
  } catch {
    return null
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function identityFromPs(pid: number): string | null {
  try {
    return ps(pid, 'stat').startsWith('Z') ? null : ps(pid, 'lstart')
  } catch {
    return null
  }
}

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim()
}
