// A status as a word with an icon, so that colour is never the only signal.
import { Ban, Check, CircleDashed, Clock, type LucideIcon, Mail, Minus, TriangleAlert, Undo2, X } from 'lucide-react'

type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'calm'

const tones: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  busy: 'bg-busy-soft text-busy',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  calm: 'bg-sunken text-soft',
}

const states: Readonly<Record<string, readonly [Tone, LucideIcon, string?]>> = {
  pending: ['warn', Clock],
  processing: ['busy', CircleDashed],
  completed: ['good', Check],
  failed: ['bad', X],
  cancelled: ['calm', Ban],
  returned: ['warn', Undo2],
  open: ['warn', Clock],
  overdue: ['bad', TriangleAlert],
  resolved: ['good', Check],
  paid: ['good', Check],
  void: ['calm', Ban],
  draft: ['calm', Minus],
  active: ['good', Check],
  invited: ['busy', Mail],
  suspended: ['bad', Ban],
  closed: ['calm', Ban],
  revoked: ['calm', Ban],
  not_started: ['calm', Minus, 'Not started'],
  action_required: ['warn', Clock, 'Information needed'],
  in_review: ['busy', CircleDashed, 'In review'],
  approved: ['good', Check],
  rejected: ['bad', X, 'Declined'],
  clear: ['good', Check],
  blocked: ['bad', Ban],
}

export function Status({ of }: { readonly of: string }) {
  const [tone, Icon, word] = states[of] ?? ['calm' as const, Minus]
  return (
    <span
      className={`inline-flex h-6 items-center gap-1.5 rounded-full px-2.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      <Icon className="size-3.5 shrink-0" strokeWidth={2.4} aria-hidden />
      {word ?? of.charAt(0).toUpperCase() + of.slice(1)}
    </span>
  )
}
