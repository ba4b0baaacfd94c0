// What finance does: see what a month would bill, bill it, and correct or settle single invoices.
import type { Command } from '../command'
import { credit } from './credit'
import { list } from './list'
import { markPaid, markUnpaid, voidOne } from './moves'
import { preview } from './preview'
import { rerun, run } from './run'

export const invoiceCommands: readonly Command[] = [preview, run, rerun, list, credit, voidOne, markPaid, markUnpaid]
