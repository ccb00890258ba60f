import type { EventRecorder } from "../../../api/client/events.ts";
import type { Log } from "../../../base/program/log.ts";
import type { DesiredState, StateChange } from "../plan/desired-state.ts";
import { problemText } from "../plan/problem.ts";
import type { ProxyMetrics } from "./metrics.ts";
import type { ProxyListener } from "./service-proxy.ts";

interface Options {
  readonly state: DesiredState;
  readonly events: Pick<EventRecorder, "record">;
  readonly metrics: ProxyMetrics;
  readonly log: Log;
}

/** Collects the problems of services, and reports them in logs and events. */
export class ProblemBook implements ProxyListener {
  readonly #options: Options;
  readonly #problems = new Map<string, readonly string[]>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** The problems, by service. */
  get problems(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(this.#problems);
  }

  changed({ problems }: StateChange): void {
    for (const [service, found] of problems) {
      const before = this.#problems.get(service) ?? [];
      const texts = found.map(problemText);
      if (texts.length === 0) this.#problems.delete(service);
      else this.#problems.set(service, texts);
      for (const text of texts) if (!before.includes(text)) this.tell(service, text);
    }
    this.#options.metrics.problems.set(this.#problems.size);
  }

  /** Reports one problem; called from outside for those that show only when a plan is carried out. */
  tell(key: string, message: string): void {
    const { state, events, log } = this.#options;
    const service = state.service(key);
    log.warn("A part of a service is left out", { service: key, message });
    if (service === undefined) return;
    events.record(service, { type: "Warning", reason: "ServiceNotServed", message });
  }
}
