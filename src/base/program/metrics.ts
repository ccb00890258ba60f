// A Prometheus registry, in the text exposition format 0.0.4.
//
// Hot paths keep what `with` returns: counting is then one addition. `with` itself walks one map per
// label and builds no key, so that calling it each time costs no more than its list of arguments.

import { Counter, checkNames, escapeHelp, escapeLabel, Gauge, Histogram } from "./metric-kinds.ts";

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** The default bounds for latencies, in seconds: from a millisecond to ten seconds. */
const latencyBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

export interface MetricOptions<Names extends readonly string[]> {
  readonly help: string;
  /** The names of the labels; their values are given to `with`, in this order. */
  readonly labels?: Names;
}

/** The metric itself when it has no labels; otherwise the metrics by label values. */
export type Metric<C, Names extends readonly string[]> = Names extends readonly []
  ? C
  : Labelled<C, Names>;

export interface Labelled<C, Names extends readonly string[]> {
  /** The metric for these label values, created on first use. */
  with(...values: LabelValues<Names>): C;
  /** Removes the metric for these label values, when what they name is gone. */
  remove(...values: LabelValues<Names>): void;
}

type LabelValues<Names extends readonly string[]> = { readonly [Index in keyof Names]: string };

export class Registry {
  readonly #families = new Map<string, { render(): string }>();
  readonly #updates: (() => void)[] = [];

  counter<const Names extends readonly string[] = readonly []>(
    name: string,
    options: MetricOptions<Names>,
  ): Metric<Counter, Names> {
    return this.#add(name, options, { type: "counter", create: () => new Counter(name) });
  }

  gauge<const Names extends readonly string[] = readonly []>(
    name: string,
    options: MetricOptions<Names>,
  ): Metric<Gauge, Names> {
    return this.#add(name, options, { type: "gauge", create: () => new Gauge() });
  }

  /** Registers a histogram; `buckets` are ascending upper bounds without +Inf, by default for latencies. */
  histogram<const Names extends readonly string[] = readonly []>(
    name: string,
    options: MetricOptions<Names> & { readonly buckets?: readonly number[] },
  ): Metric<Histogram, Names> {
    const bounds = options.buckets ?? latencyBuckets;
    if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound))) {
      throw new Error(`Cannot register ${name}: its buckets ${bounds.join(", ")} do not ascend`);
    }
    return this.#add(name, options, { type: "histogram", create: () => new Histogram(bounds) });
  }

  /** Registers a callback for each rendering, to set values that are read rather than counted. */
  beforeRender(update: () => void): void {
    this.#updates.push(update);
  }

  render(): string {
    for (const update of this.#updates) update();
    return [...this.#families.values()].map((family) => family.render()).join("");
  }

  #add<C extends Child, Names extends readonly string[]>(
    name: string,
    options: MetricOptions<Names>,
    kind: Kind<C>,
  ): Metric<C, Names> {
    if (this.#families.has(name)) throw new Error(`Cannot register ${name}: it already is`);
    const labels: readonly string[] = options.labels ?? [];
    checkNames(name, labels, kind.type);
    const family = new MetricFamily({ name, help: options.help, labels, kind });
    this.#families.set(name, family);
    return (labels.length === 0 ? family.with() : family) as Metric<C, Names>;
  }
}

interface Child {
  /** Renders the lines of one metric; `labels` is the text between the braces. */
  render(name: string, labels: string): string;
}

interface Kind<C> {
  readonly type: "counter" | "gauge" | "histogram";
  create(): C;
}

interface Leaf<C> {
  readonly labels: string;
  readonly child: C;
}

type Branch<C> = Map<string, Branch<C> | Leaf<C>>;

class MetricFamily<C extends Child> {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #kind: Kind<C>;
  /** The tree of metrics, a level per label, so that a lookup builds no key. Without labels: key "". */
  readonly #root: Branch<C> = new Map();

  constructor(options: { name: string; help: string; labels: readonly string[]; kind: Kind<C> }) {
    this.#name = options.name;
    this.#help = options.help;
    this.#labels = options.labels;
    this.#kind = options.kind;
  }

  with(...values: readonly string[]): C {
    let branch = this.#root;
    const last = this.#labels.length - 1;
    for (let index = 0; index < last; index++) {
      const next = branch.get(values[index] ?? "");
      if (next instanceof Map) branch = next;
      else {
        const grown: Branch<C> = new Map();
        branch.set(values[index] ?? "", grown);
        branch = grown;
      }
    }
    const key = values[last] ?? "";
    const leaf = branch.get(key);
    if (leaf !== undefined && !(leaf instanceof Map)) return leaf.child;
    const child = this.#kind.create();
    branch.set(key, { child, labels: this.#labelText(values) });
    return child;
  }

  remove(...values: readonly string[]): void {
    let branch = this.#root;
    for (const value of values.slice(0, -1)) {
      const next = branch.get(value);
      if (!(next instanceof Map)) return;
      branch = next;
    }
    branch.delete(values.at(-1) ?? "");
  }

  render(): string {
    const heading = `# HELP ${this.#name} ${escapeHelp(this.#help)}\n# TYPE ${this.#name} ${this.#kind.type}\n`;
    let samples = "";
    for (const { child, labels } of leavesOf(this.#root))
      samples += child.render(this.#name, labels);
    return heading + samples;
  }

  #labelText(values: readonly string[]): string {
    return this.#labels
      .map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`)
      .join(",");
  }
}

function* leavesOf<C>(branch: Branch<C>): Generator<Leaf<C>> {
  for (const next of branch.values()) {
    if (next instanceof Map) yield* leavesOf(next);
    else yield next;
  }
}
