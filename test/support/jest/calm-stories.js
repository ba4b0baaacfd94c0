// The stories that run beside other files: they wait more than they compute, and passed on a machine with ten times the load.
module.exports = [
  'start',
  'tour',
  'operators',
  'going-live',
  'lost-webhooks',
  'on-call',
  'deposit-during-restart',
  'missed-first',
  'suspended',
  'refusals',
  'traces',
]
