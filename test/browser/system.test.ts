// The dashboard with one system as `npm start` runs it. Its parts share the system, because starting it takes
// most of the time.
import { afterAll, beforeAll, describe } from '@jest/globals'
import { aStage, type Stage } from '../support/browser/stage'
import { goingLive } from './partners/verification'
import { verifiedPartner } from './partners/verified'
import { afterwards } from './payouts/afterwards'
import { unknownPayout } from './payouts/unknown'
import { newcomer } from './story'

let stage: Stage

beforeAll(async () => {
  stage = await aStage()
})

afterAll(() => stage?.close())

describe('story', () => {
  newcomer(() => stage)
})

describe('verification', () => {
  goingLive(() => stage)
})

describe('verified', () => {
  verifiedPartner(() => stage)
})

describe('unknown', () => {
  unknownPayout(() => stage)
})

// Last, because it changes the delays of the bank.
describe('afterwards', () => {
  afterwards(() => stage)
})
