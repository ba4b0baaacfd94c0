// One running part of the system, whatever it is: our own process or a server of somebody else's.

import type { Server } from './guarded'

export interface Part extends Pick<Server, 'pid' | 'exited' | 'tail' | 'stop'> {
  readonly name: string
  readonly logFile: string
}
