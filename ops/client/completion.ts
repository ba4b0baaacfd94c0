// `completion`: prints a script that completes commands, options and values in a shell, from the table of commands.
import { type AnyCommand, defineClientCommand, done, wordsOf } from '../command'
import { type Kind, oneOf, required } from '../options'

const shells = ['bash', 'zsh', 'fish'] as const

export const completion = defineClientCommand('completion', {
  about: 'Prints a script that completes commands, options and values in your shell.',
  options: { shell: required(oneOf(shells), 'The shell.') },
  bare: 'shell',
  example: ['bash'],
  async run(session, { shell }) {
    const script = scripts[shell](placesOf(session.commands()))
    return done({ shell, script }, script)
  },
})

/** A point in a command line: the words so far, and the words that can follow. */
interface Place {
  readonly words: string
  readonly next: Map<string, string>
  /** The values that an option offers here. */
  readonly values: Map<string, Kind<unknown>['offers']>
}

function placesOf(commands: readonly AnyCommand[]): readonly Place[] {
  const places = new Map<string, Place>()
  const placeAt = (words: readonly string[]): Place => {
    const path = words.map((word) => ` ${word}`).join('')
    const place = places.get(path) ?? { words: path, next: new Map(), values: new Map() }
    places.set(path, place)
    return place
  }
  for (const command of commands) {
    const words = wordsOf(command)
    for (const [index, word] of words.entries()) {
      const { next } = placeAt(words.slice(0, index))
      const isLast = index === words.length - 1
      next.set(word, isLast ? command.about : [next.get(word), words[index + 1]].filter(Boolean).join(', '))
    }
    addOptions(placeAt(words), command)
    if (command.whenAlone === 'runs') addOptions(placeAt(words.slice(0, 1)), command)
  }
  for (const { next } of places.values()) next.set('--help', 'Shows help.')
  placeAt([]).next.set('--version', 'Shows the version of the program.')
  return [...places.values()]
}

function addOptions({ next, values }: Place, { options, bare }: AnyCommand): void {
  for (const [name, { kind, about }] of Object.entries(options)) {
    next.set(`--${name}`, about)
    if (!kind.isFlag) values.set(`--${name}`, kind.offers)
    if (name === bare && Array.isArray(kind.offers)) for (const word of kind.offers) next.set(word, about)
  }
  next.set('--json', 'Prints one JSON value.')
}

const scripts: Readonly<Record<(typeof shells)[number], (places: readonly Place[]) => string>> = {
  bash: (places) => `# Completion of payouts for bash. Load it with: source <(payouts completion bash)
_payouts() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${knownWords(places, quote).join('|')}) at="$at $word" ;;
    esac
  done
  # Bash splits --option=value into three words.
  if [ "$current" = '=' ]; then current=''; elif [ "$previous" = '=' ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  case "$at $previous" in
${valuesOf(places, ({ at, offers }) => `    ${at.map(quote).join('|')}) ${offeredInBash(offers)}return ;;`)}
  esac
  case "$at" in
${placesAs(places, ({ words, next }) => `    ${quote(words)}) COMPREPLY=($(compgen -W ${quote([...next.keys()].join(' '))} -- "$current")) ;;`)}
  esac
}
complete -F _payouts payouts`,

  zsh: (places) => `#compdef payouts
# Completion of payouts for zsh. Load it with: source <(payouts completion zsh)
_payouts() {
  local at='' word previous="\${words[CURRENT-1]}"
  local -a next
  for word in "\${words[2,CURRENT-1][@]}"; do
    case "$at $word" in
      (${knownWords(places, quote).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at $previous" in
${valuesOf(places, ({ at, offers }) => `    (${at.map(quote).join('|')}) ${offeredInZsh(offers)}return ;;`)}
  esac
  case "$at" in
${placesAs(places, ({ words, next }) => `    (${quote(words)}) next=(${[...next].map(([word, about]) => quote(`${word}:${about}`)).join(' ')}) ;;`)}
  esac
  _describe 'payouts' next
}
if [ "\${funcstack[1]}" = _payouts ]; then _payouts "$@"; else compdef _payouts payouts; fi`,

  fish: (places) => `# Completion of payouts for fish. Load it with: payouts completion fish | source
function __payouts_complete
  set -l at ''
  set -l previous ''
  for word in (commandline -opc)[2..-1]
    set previous $word
    switch "$at $word"
      case ${knownWords(places, quoteForFish).join(' ')}
        set at "$at $word"
    end
  end
  switch "$at $previous"
${valuesOf(places, ({ at, offers }) => `    case ${at.map(quoteForFish).join(' ')}\n      ${offeredInFish(offers)}return`)}
  end
  switch "$at"
${placesAs(places, ({ words, next }) => `    case ${quoteForFish(words)}\n      printf '%s\\t%s\\n' ${[...next].flat().map(quoteForFish).join(' ')}`)}
  end
end
complete -c payouts -f -a '(__payouts_complete)'`,
}

type Offer = { readonly at: readonly string[]; readonly offers: Kind<unknown>['offers'] }

function knownWords(places: readonly Place[], quoted: (text: string) => string): string[] {
  return places.flatMap(({ words }) => (words === '' ? [] : [quoted(words)]))
}

function placesAs(places: readonly Place[], written: (place: Place) => string): string {
  return places.map(written).join('\n')
}

/** One line for each set of values, because most options offer no values. */
function valuesOf(places: readonly Place[], written: (offer: Offer) => string): string {
  const all = places.flatMap(({ words, values }) =>
    [...values].map(([option, offers]) => ({ at: `${words} ${option}`, offers })),
  )
  const kinds = new Map(all.map(({ offers }) => [String(offers), offers]))
  return [...kinds]
    .map(([kind, offers]) => {
      const at = all.flatMap((each) => (String(each.offers) === kind ? [each.at] : []))
      return written({ at, offers })
    })
    .join('\n')
}

function offeredInBash(offers: Offer['offers']): string {
  if (offers === 'files') return 'compopt -o default 2>/dev/null; '
  return offers === undefined ? '' : `COMPREPLY=($(compgen -W ${quote(offers.join(' '))} -- "$current")); `
}

function offeredInZsh(offers: Offer['offers']): string {
  if (offers === 'files') return '_files; '
  return offers === undefined ? '' : `compadd -- ${offers.map(quote).join(' ')}; `
}

function offeredInFish(offers: Offer['offers']): string {
  if (offers === 'files') return '__fish_complete_path (commandline -ct); '
  return offers === undefined ? '' : `printf '%s\\n' ${offers.map(quoteForFish).join(' ')}; `
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}
