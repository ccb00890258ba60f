import type { Conntrack, FlowSelector } from "./conntrack.ts";

/** A flow of the fake; tests may leave out its source. */
type Flow = Required<Omit<FlowSelector, "source" | "sourcePort">> &
  Pick<FlowSelector, "source" | "sourcePort">;

/** A connection table that holds the flows which the test put there. */
export class FakeConntrack implements Conntrack {
  flows: readonly Flow[] = [];
  /** The deletions asked for, whether there was such a flow or not. */
  readonly deletions: FlowSelector[] = [];

  /** The deletions, one a line: `udp 10.96.0.10:53 answered by 10.1.0.2`. */
  get text(): string {
    return this.deletions.map(selectorText).join("\n");
  }

  async deleteFlows(selectors: readonly FlowSelector[]): Promise<number> {
    this.deletions.push(...selectors);
    const before = this.flows.length;
    this.flows = this.flows.filter(
      (flow) => !selectors.some((selector) => matches(flow, selector)),
    );
    return before - this.flows.length;
  }
}

function matches(flow: Flow, selector: FlowSelector): boolean {
  const { family, protocol, source, sourcePort, destination, port, replySource } = selector;
  return (
    (source === undefined || flow.source?.equals(source) === true) &&
    (sourcePort === undefined || flow.sourcePort === sourcePort) &&
    flow.family === family &&
    flow.protocol === protocol &&
    (destination === undefined || flow.destination.equals(destination)) &&
    (port === undefined || flow.port === port) &&
    (replySource === undefined || flow.replySource.equals(replySource))
  );
}

function selectorText(selector: FlowSelector): string {
  const { family, protocol, source, sourcePort, destination, port, replySource } = selector;
  const from = source === undefined ? "" : ` from ${source.toString()} ${sourcePort ?? ""}`;
  const address = destination?.toString() ?? `any ${family}`;
  const place = address.includes(":") && port !== undefined ? `[${address}]` : address;
  const answer = replySource === undefined ? "" : ` answered by ${replySource.toString()}`;
  return `${protocol} ${place}${port === undefined ? "" : `:${port}`}${from}${answer}`;
}
