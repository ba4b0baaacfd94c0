// A Prometheus scrape: every sample by its name with its labels, and the names of the metrics.

export interface Scrape {
  readonly value: (series: string) => number | undefined
  /** Includes the names of histogram series, with their suffixes. */
  readonly names: ReadonlySet<string>
  readonly text: string
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`)
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`)
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const samples = new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
  const names = new Set([...samples.keys()].map((series) => series.replace(/\{.*$/, '')))
  return { value: (series) => samples.get(series), names, text }
}
