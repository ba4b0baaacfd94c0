// Every migration, in the order in which they run. New ones are only added at the end.
import { Partners1794700800001 } from './001-009/1-partners'
import { Ledger1794700800002 } from './001-009/2-ledger'
import { Payouts1794700800003 } from './001-009/3-payouts'
import { Billing1794700800004 } from './001-009/4-billing'
import { Activity1794700800005 } from './001-009/5-activity'
import { Lists1794700800006 } from './001-009/6-lists'
import { PayoutSteps1794700800007 } from './001-009/7-payout-steps'
import { Attention1794700800008 } from './001-009/8-attention'
import { Invoices1794700800009 } from './001-009/9-invoices'
import { Sessions1794700800010 } from './010-019/10-sessions'
import { TeamAndLooks1794700800011 } from './010-019/11-team-and-looks'
import { GoingLive1794700800012 } from './010-019/12-going-live'
import { Proof1794700800013 } from './010-019/13-proof'
import { Audit1794700800014 } from './010-019/14-audit'
import { RailPauses1794700800016 } from './010-019/16-rail-pauses'
import { Workers1794700800017 } from './010-019/17-workers'
import { DriftDecisions1794700800018 } from './010-019/18-drift-decisions'
import { AuditMore1794700800020 } from './020-029/20-audit-more'
import { ProofMore1794700800021 } from './020-029/21-proof-more'
import { ErasedRecipients1794700800022 } from './020-029/22-erased-recipients'
import { FirstCalls1794700800023 } from './020-029/23-first-calls'
import { PayoutTotals1794700800024 } from './020-029/24-payout-totals'
import { SearchIndex1794700800025 } from './020-029/25-search-index'
import { ProofCheckpoints1794700800026 } from './020-029/26-proof-checkpoints'
import { Closing1794700800027 } from './020-029/27-closing'
import { ExchangeRates1794700800028 } from './020-029/28-exchange-rates'
import { FreshBankKeys1794700800029 } from './020-029/29-fresh-bank-keys'
import { SettledAtIssue1794700800032 } from './030-039/32-settled-at-issue'
import { FirstPayouts1794700800034 } from './030-039/34-first-payouts'
import { IdleSandboxes1794700800035 } from './030-039/35-idle-sandboxes'
import { RequestedNames1794700800036 } from './030-039/36-requested-names'
import { SecurityEvents1794700800037 } from './030-039/37-security-events'
import { NoAuditHash1794700800038 } from './030-039/38-no-audit-hash'
import { ChargeStep1794700800039 } from './030-039/39-charge-step'
import { PriceAuthors1794700800042, SessionDevices1794700800045 } from './040-049/42-columns'
import { FailedBankCalls1794700800043 } from './040-049/43-failed-bank-calls'
import {
  BankEventsByPayout1794700800048,
  HiddenPayouts1794700800044,
  PayoutsByAmount1794700800047,
} from './040-049/44-indexes'
import { PayoutNotes1794700800046 } from './040-049/46-payout-notes'
import {
  PartitionBounds1794700800049,
  PartitionBoundsValid1794700800050,
  PartitionLocks1794700800052,
  Partitions1794700800051,
} from './040-049/49-partitions'

export const migrations = [
  Partners1794700800001,
  Ledger1794700800002,
  Payouts1794700800003,
  Billing1794700800004,
  Activity1794700800005,
  Lists1794700800006,
  PayoutSteps1794700800007,
  Attention1794700800008,
  Invoices1794700800009,
  Sessions1794700800010,
  TeamAndLooks1794700800011,
  GoingLive1794700800012,
  Proof1794700800013,
  Audit1794700800014,
  RailPauses1794700800016,
  Workers1794700800017,
  DriftDecisions1794700800018,
  AuditMore1794700800020,
  ProofMore1794700800021,
  ErasedRecipients1794700800022,
  FirstCalls1794700800023,
  PayoutTotals1794700800024,
  SearchIndex1794700800025,
  ProofCheckpoints1794700800026,
  Closing1794700800027,
  ExchangeRates1794700800028,
  FreshBankKeys1794700800029,
  SettledAtIssue1794700800032,
  FirstPayouts1794700800034,
  IdleSandboxes1794700800035,
  RequestedNames1794700800036,
  SecurityEvents1794700800037,
  NoAuditHash1794700800038,
  ChargeStep1794700800039,
  PriceAuthors1794700800042,
  FailedBankCalls1794700800043,
  HiddenPayouts1794700800044,
  SessionDevices1794700800045,
  PayoutNotes1794700800046,
  PayoutsByAmount1794700800047,
  BankEventsByPayout1794700800048,
  PartitionBounds1794700800049,
  PartitionBoundsValid1794700800050,
  Partitions1794700800051,
  PartitionLocks1794700800052,
]
