// The kinds of metrics (counter, gauge, histogram) and their text format.

export class Counter {
  readonly #name: string;
  #total = 0;

  constructor(name: string) {
    this.#name = name;
  }

  increment(by = 1): void {
    if (!(by >= 0)) throw new Error(`Cannot add ${by} to ${this.#name}: counters only grow`);
    this.#total += by;
  }

  /** Sets the total, where it is counted elsewhere, such as CPU time. */
  setTotal(total: number): void {
    this.#total = total;
  }

  render(name: string, labels: string): string {
    return sample(name, labels, this.#total);
  }
}

export class Gauge {
  #value = 0;

  set(value: number): void {
    this.#value = value;
  }

  add(by: number): void {
    this.#value += by;
  }

  render(name: string, labels: string): string {
    return sample(name, labels, this.#value);
  }
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** The counts per bucket, not yet cumulative; the last is for values above every bound. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds.map(() => 0), 0];
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && !(value <= (bounds[bucket] ?? 0))) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  render(name: string, labels: string): string {
    const others = labels === "" ? "" : `${labels},`;
    let total = 0;
    let text = "";
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      const bound = formatNumber(this.#bounds[index] ?? Number.POSITIVE_INFINITY);
      text += sample(`${name}_bucket`, `${others}le="${bound}"`, total);
    }
    return text + sample(`${name}_sum`, labels, this.#sum) + sample(`${name}_count`, labels, total);
  }
}

export function checkNames(name: string, labels: readonly string[], type: string): void {
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) {
    throw new Error(`Cannot register "${name}": this is no name for a metric`);
  }
  for (const label of labels) {
    const isReserved = label.startsWith("__") || (type === "histogram" && label === "le");
    if (isReserved || !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label)) {
      throw new Error(`Cannot register ${name}: "${label}" is no name for a label`);
    }
  }
  if (new Set(labels).size < labels.length) {
    throw new Error(`Cannot register ${name}: a label of ${labels.join(", ")} is there twice`);
  }
}

export function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

export function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

function sample(name: string, labels: string, value: number): string {
  const braces = labels === "" ? "" : `{${labels}}`;
  return `${name}${braces} ${formatNumber(value)}\n`;
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}
